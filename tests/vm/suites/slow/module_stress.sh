# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# ALSO pti=on
# MODULE yes
# Observed threads make the kernel change their page tables in every way, and each byte stays right;
# whatever happens to the observed process and to the owner of the session.

# In the background; $stress is its process.
start_stress() {
  rm -f "$OUT/stress"
  memory_stress > "$OUT/stress" &
  stress=$!
  until grep -qs running "$OUT/stress"; do sleep 0.1; done
}

end_stress() {
  kill -TERM "$stress"
  wait "$stress"
}

# stress_under OPTION...: memory_stress runs while a session is held until it has seen enough.
stress_under() {
  start_stress
  view_hold "$@" "$stress"
  held=$?
  end_stress && [ "$held" -eq 0 ]
}

# $holder holds a session on $stress.
hold_stress() {
  rm -f "$OUT/held"
  view_hold "$stress" > "$OUT/held" &
  holder=$!
  until grep -qs started "$OUT/held"; do sleep 0.1; done
}

kill_holder() {
  kill -KILL "$holder"
  wait "$holder"
  [ $? -eq 137 ]
}

kill_stress() {
  kill -KILL "$stress"
  wait "$stress"
  wait "$holder"
}

check "the module loads" insmod /modules/numatch.ko
check "a view per thread: every byte is right" stress_under --until-opened 4000
check "one view with zaps: every byte is right" stress_under --mode single --zap-share 30 --until-opened 4000
check "few views for many threads: every byte is right" stress_under --views 3 --until-opened 2000
check "too few pages for page tables: every byte is right" stress_under --table-pages 40 --until-opened 60
check "no room for new threads: every byte is right" stress_under --threads 6 --until-opened 500

start_stress
hold_stress
refuse "a module in use is not unloaded" rmmod numatch
refuse "a process has one session" view_hold --cycles 1 "$stress"
check "the owner is killed" kill_holder
check "and the process can be observed again" view_hold --cycles 25 "$stress"
check "every byte is right" end_stress

start_stress
hold_stress
check "the observed process is killed, and its session ends well" kill_stress

start_ring --pattern pairs --private-pages 24 --shared-pages 16 --short-threads 100 --forks 10 --execs 10
check "views are exact while threads come and go, fork and execute" view_check "$ring"
(while node=$(((${node:-0} + 1) % 4)) && sleep 0.2; do ring_places --move-to "$node" "$OUT/places"; done > /dev/null 2>&1) &
mover=$!
cp "$ring" "$OUT/places"
check "views are exact while pages move" view_check "$ring"
kill "$mover"
end_ring
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
