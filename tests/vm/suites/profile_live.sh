# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016,SC2154  # awk expands; $ring comes from ring.sh
# MACHINE 4x2
# A user without rights watches his own program from outside (soft-dirty): who writes what is all seen,
# and nothing else is.
echo 2 > /proc/sys/kernel/perf_event_paranoid

start_ring as_user env -- ring_program --threads 8 --private-pages 16 --shared-pages 16 --compute 2000 \
  --random-creation
pid=$(sed -n 's/^process //p' "$ring")
# How long it takes to see all depends on the machine; what is seen must be right however long it takes.
for seconds in 15 60 150; do
  check "it watches for $seconds s" as_user numatch profile -p "$pid" --sensor soft-dirty \
    --duration "$seconds" --budget 20 -o "$OUT/ring.nmp"
  ask_ring
  ring_truth "$ring" "$OUT/ring.nmp" > "$OUT/found"
  cat "$OUT/found"
  grep -qx "written-pairs-missed 0" "$OUT/found" && break
done
check "every thread is known" grep -qx "unknown-threads 0" "$OUT/found"
check "no thread is seen where it was not" grep -qx "wrong-uses 0" "$OUT/found"
check "no sharing is wrong" grep -qx "wrong-increments 0" "$OUT/found"
check "all that is written is seen" grep -qx "written-pairs-missed 0" "$OUT/found"
check "the sharing is the oracle's" awk '$1 == "correlation" {exit !($2 >= 0.95)}' "$OUT/found"
end_ring
