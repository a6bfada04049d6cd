# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# numatch run puts partners together, and new ones when they change.

# partners_together DISTANCE: threads t and t + DISTANCE are on one node, for all t.
partners_together() {
  locate_ring
  awk -v distance="$1" '$1 == "thread" {node[$2] = $4; ++threads}
    END {
      for (t = 0; t < threads; ++t) {
        partner = distance == 1 ? (t % 2 ? t - 1 : t + 1) : (t + distance) % threads
        if (node[t] != node[partner]) exit 1
      }
    }' "$OUT/places"
}

# manage OPTION...: in the background, until end_managing.
manage() {
  numatch run -p "$(sed -n 's/^process //p' "$ring")" --cached 0 --log "$OUT/run.jsonl" "$@" > "$OUT/run" &
  run=$!
}

end_managing() {
  kill -TERM "$run"
  wait "$run"
  same "numatch run ends well" 0 "$?"
  cat "$OUT/run.jsonl" "$OUT/run"
}

echo 0 > /proc/sys/kernel/numa_balancing # nobody else moves anything
start_ring --pattern pairs --cpus scrambled --touch main --random-creation --private-pages 8 --shared-pages 8 \
  --compute 500
manage --sensor soft-dirty --budget 20
check "pairs are put together" becomes 60 partners_together 1
kill -USR2 "$(sed -n 's/^process //p' "$ring")"
check "new partners are put together" becomes 60 partners_together 4
end_managing
end_ring
