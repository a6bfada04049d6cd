# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# MODULE yes
# One view for all threads, a tenth of whose openings are induced: SPCD. Its matrix of a ring has no wrong increment,
# it keeps its share, migrates nothing, and sees fewer sharers than a view per thread does.
# Nothing here waits for a time, so it is as slow as the host.

# What else would migrate pages.
echo 0 > /proc/sys/kernel/numa_balancing

migrated() {
  awk '$1 == "pgmigrate_success" || $1 == "numa_pages_migrated" {n += $2} END {print n + 0}' /proc/vmstat
}

# sharers FILE: how many sharers of shared pages the sessions saw together.
sharers() {
  awk '$1 == "sharers" {n += $3} END {print n + 0}' "$1"
}

# checked FILE OPTION...: what view_check prints goes to the file, too.
checked() {
  checked_file=$1
  shift
  view_check "$@" > "$checked_file"
  checked_code=$?
  cat "$checked_file"
  return "$checked_code"
}

fewer() {
  echo "one view: $1 sharers, a view per thread: $2"
  [ "$1" -lt "$2" ]
}

check "the module loads" insmod /modules/numatch.ko
before=$(migrated)
start_ring --pattern ring --private-pages 24 --shared-pages 16
check "a ring in one view: no wrong increment, the share is kept in 5 periods" \
  checked "$OUT/periods.ring" --mode single --zap-share 10 --periods 5 "$ring"
check "a ring in one view, one period" checked "$OUT/single.ring" --mode single --zap-share 10 "$ring"
check "a ring, a view per thread: no wrong increment" checked "$OUT/multi.ring" "$ring"
end_ring
start_ring --pattern all --private-pages 8 --shared-pages 16
check "pages shared by all in one view" checked "$OUT/single.all" --mode single --zap-share 10 "$ring"
check "pages shared by all, a view per thread" checked "$OUT/multi.all" "$ring"
end_ring
same "no page was migrated" "$before" "$(migrated)"
check "one view sees fewer sharers of a ring's pages" fewer "$(sharers "$OUT/single.ring")" "$(sharers "$OUT/multi.ring")"
check "and of pages shared by all" fewer "$(sharers "$OUT/single.all")" "$(sharers "$OUT/multi.all")"
cat "$OUT"/*.ring "$OUT"/*.all
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
