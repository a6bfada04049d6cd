# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 900
# numatch run puts the threads of two processes that share a memfd together, and its pages where they are used. Of each
# pair of threads one is in either process: thread t belongs to process t % 2.
echo 0 > /proc/sys/kernel/numa_balancing

processors() { cat /proc/"$1"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
process_of() { sed -n 's/^process //p' "$1"; }
# ask_both: the reports of now of both processes.
ask_both() {
  rm -f "$ring" "$ring.1"
  kill -USR1 "$first" "$second"
  until [ -s "$ring" ] && [ -s "$ring.1" ]; do sleep 0.1; done
}

# The nodes on which partners are: "partners T NODE NODE".
partners() {
  ask_both
  ring_places "$ring" > "$OUT/places"
  ring_places "$ring.1" > "$OUT/places.1"
  cat "$OUT/places" "$OUT/places.1" | awk '$1 == "thread" {node[$2] = $4}
    END {for (t = 0; t < 8; t += 2) print "partners", t, node[t], node[t + 1]}'
}
together() { partners > "$OUT/partners" && awk '$3 != $4 || $3 == "" {exit 1}' "$OUT/partners"; }
# at_least FILE SHARE: of the accessed pages of this process, local to their main users there.
at_least() { awk -v share="$2" '$1 == "accessed_local" {found = 100 * $2 / $4 >= share} END {exit !found}' "$1"; }
well_placed() { together && at_least "$OUT/places" 90 && at_least "$OUT/places.1" 90; }

start_ring --processes 2 --pattern pairs --cpus scrambled --touch main --private-pages 16 --shared-pages 8 \
  --read-percent 0 --compute 500
until [ -s "$ring.1" ]; do sleep 0.1; done
first=$(process_of "$ring")
second=$(process_of "$ring.1")
{ processors "$first" && processors "$second"; } > "$OUT/processors"
numatch run -p "$first" -p "$second" --sensor soft-dirty --budget 20 --cached 0 --log "$OUT/run.jsonl" > "$OUT/run" &
run=$!
check "partners in different processes are together, their pages local" becomes 300 well_placed
cat "$OUT/partners"
cat "$OUT/places" "$OUT/places.1" | grep -v '^region'
kill -TERM "$run"
wait "$run"
same "numatch run ends well" 0 "$?"
cat "$OUT/run.jsonl" "$OUT/run"
same "all threads may run where they could before" "$(cat "$OUT/processors")" "$(processors "$first" && processors "$second")"
end_ring
same "the other process's bytes are right" "sums right" "$(tail -n 1 "$ring.1")"
