# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# Where threads and pages are put is where they are: first touch, move_pages, numatch exec.

echo 0 > /proc/sys/kernel/numa_balancing # the kernel must not move pages meanwhile

places() {
  ask_ring
  ring_places "$ring" > "$OUT/places"
}

# regions_on NODE: how many of the regions have all their pages there.
regions_on() {
  grep -cE "^region [0-9]+ $1=[0-9]+\$" "$OUT/places"
}

start_ring --touch main --private-pages 4 --shared-pages 4
places
same "pages that the main thread touched first are all on node 0" 16 "$(regions_on 0)"
# A page that is in use at the moment is left out, so it may take several calls.
all_are_on_2() {
  ring_places --move-to 2 "$ring"
  places
  [ "$(regions_on 2)" = 16 ]
}
check "move_pages moves the pages of a running program" becomes 60 all_are_on_2
end_ring

start_ring --cpus kept --random-creation --private-pages 64 --shared-pages 64
run_ring_until 1000
places
check "pages are local to the threads that touch them first" \
  grep -q '^private_local 512 of 512' "$OUT/places"
end_ring

# Thread 0 of the program waits; threads 1 to 8 are those of the pairs 1-2, 3-4, ...
awk 'BEGIN {
  for (i = 0; i < 9; ++i) {
    for (j = 0; j < 9; ++j) {
      together = i > 0 && j > 0 && i != j && int((i + 1) / 2) == int((j + 1) / 2)
      printf "%d ", (together ? 100 : 0)
    }
    print ""
  }
}' > pairs.txt
check "numatch map maps onto this machine" numatch map --comm pairs.txt -o pairs.map
start_ring numatch exec --mapping pairs.map -- \
  ring_program --pattern pairs --private-pages 64 --shared-pages 64
run_ring_until 1000
places
# The PUs of threads 1 to 8, one per line, and where the threads run, in the order of their creation.
tr -d ' \n' < pairs.map | sed 's/.*"mapping":\[\([0-9,]*\)\].*/\1/' | tr , '\n' | tail -n 8 > wanted
sed -n 's/^thread \([0-9]*\) \([0-9]*\)$/\2 \1/p' "$ring" | sort -n | while read -r _ thread; do
  awk -v of="$thread" '$1 == "thread" && $2 == of {print $5}' "$OUT/places"
done > found
same "numatch exec binds each thread, in the order of creation, to its PU" \
  "$(cat wanted)" "$(cat found)"
check "so partners are on one node" grep -q '^together 4 of 4$' "$OUT/places"
check "and private pages are local" grep -q '^private_local 512 of 512' "$OUT/places"
end_ring

echo '{"mapping":[0,2,4,6],"pages":{"policy":"interleave"}}' > spread.map
start_ring numatch exec --mapping spread.map -- \
  ring_program --threads 3 --private-pages 256 --shared-pages 64
places
program=$(sed -n 's/^process //p' "$ring")
check "numatch exec gives the program the page policy" grep -q 'interleave:0-3' "/proc/$program/numa_maps"
# 960 pages; the threads' other pages take part in the turns, too.
for node in 0 1 2 3; do
  pages=$(tr ' ' '\n' < "$OUT/places" | awk -F= -v node=$node '$1 == node {sum += $2} END {print sum}')
  check "node $node has about a quarter of the pages: $pages of 960" \
    test "$pages" -ge 160 -a "$pages" -le 320
done
end_ring
