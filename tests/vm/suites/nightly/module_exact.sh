# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# KERNELS 6.1 6.12
# ALSO pti=on
# MODULE yes
# DRIVERS brd
# LIMIT 2400
# A view per thread is exact in 20 of 20 sessions while other threads of the program make the kernel change page
# tables in every way, move and swap its pages, come and go; while processors go and come back; while somebody
# tries to unload the module. The truth is what the program records of its own accesses.

# Linux 6.12 warns in sched_cpu_dying() when processors go under such a load, without the module, too.
case $(uname -r) in
  6.1.*) processors="5 6 7" ;;
  *) processors= ;;
esac

swap_of_memory() {
  insmod /modules/brd.ko rd_nr=1 rd_size=131072 2> /dev/null
  mkswap /dev/ram0 && swapon /dev/ram0
}

# Takes processors away in turn and gives them back, and tries to unload the module, until the file is gone.
disturb() {
  while [ -e "$OUT/unplug" ]; do
    for number in $processors; do
      echo 0 > "/sys/devices/system/cpu/cpu$number/online"
      sleep 0.2
      echo 1 > "/sys/devices/system/cpu/cpu$number/online" && echo "$number" >> "$OUT/unplugged"
    done
    sleep 0.2
    rmmod numatch 2> /dev/null && echo unloaded >> "$OUT/unloaded"
  done
}

swapped() {
  awk '$1 == "pswpout" || $1 == "pswpin" {print $2}' /proc/vmstat | tr '\n' ' '
}

check "the module loads" insmod /modules/numatch.ko
check "there is swap" swap_of_memory
exec 9< /dev/numatch # so that no attempt to unload it may ever succeed
: > "$OUT/unplug"
start_ring --pattern all --private-pages 24 --shared-pages 6 --stress 3
disturb &
disturbing=$!
check "pages shared by all, under stress: 10 of 10 sessions are exact" view_check --rounds 10 "$ring"
tail -n 1 /tmp/check.out
end_ring
start_ring --pattern pairs --private-pages 24 --shared-pages 16 --stress 3
# Views for fewer threads than come and go.
check "pages shared by pairs, under stress: 10 of 10 sessions are exact" view_check --rounds 10 --views 16 "$ring"
tail -n 1 /tmp/check.out
end_ring
rm "$OUT/unplug"
wait "$disturbing"
[ -z "$processors" ] || check "processors went and came back" test -s "$OUT/unplugged"
exec 9<&-
refuse "no attempt to unload the open module worked" grep -q unloaded "$OUT/unloaded"
echo "processors that went: $(grep -cs . "$OUT/unplugged" || echo 0); pages swapped in and out: $(swapped)"
check "nothing of the sessions is left" becomes 60 nothing_lives
until rmmod numatch 2> /dev/null; do sleep 0.1; done
refuse "the module is unloaded" test -e /dev/numatch
