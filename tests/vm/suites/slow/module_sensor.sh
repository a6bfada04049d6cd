# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# KERNELS 6.1 6.12
# MODULE yes
# The kernel module as a sensor: numatch sees each thread with each of its pages, and nothing else; also of a
# program that it starts, and that becomes another one.

# seen PROFILE: what the profile says of the ring, against the ring's own record.
seen() {
  ring_truth "$ring" "$1" > "$OUT/found"
  cat "$OUT/found"
  check "every thread is known" grep -qx "unknown-threads 0" "$OUT/found"
  check "no thread is seen where it was not" grep -qx "wrong-uses 0" "$OUT/found"
  check "no sharing is wrong" grep -qx "wrong-increments 0" "$OUT/found"
  check "all that was used is seen" grep -qx "used-pairs-missed 0" "$OUT/found"
}

numatch doctor > "$OUT/without"
refuse "doctor does not offer it before it is loaded" grep -q -- '--sensor auto is module' "$OUT/without"
refuse "it cannot be asked for then" numatch profile --sensor module -o "$OUT/none.nmp" -- true
check "the module loads" insmod /modules/numatch.ko
numatch doctor > "$OUT/with"
check "doctor says that it is the best" grep -q -- '--sensor auto is module' "$OUT/with"

start_ring --private-pages 16 --shared-pages 16
pid=$(sed -n 's/^process //p' "$ring")
# How long it takes until all is used again depends on the machine; what is seen must be right at any time.
for seconds in 3 15 60; do
  check "it watches for $seconds s" numatch profile -p "$pid" --duration "$seconds" -o "$OUT/ring.nmp"
  ask_ring
  ring_truth "$ring" "$OUT/ring.nmp" > "$OUT/found"
  grep -qx "used-pairs-missed 0" "$OUT/found" && break
done
seen "$OUT/ring.nmp"
end_ring

# The shell becomes the ring, whose threads start under observation.
start_ring numatch profile --sensor module -o "$OUT/launched.nmp" -- \
  sh -c 'exec ring_program --private-pages 16 --shared-pages 16 "$@"' sh
run_ring_until 20
end_ring
seen "$OUT/launched.nmp"
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
