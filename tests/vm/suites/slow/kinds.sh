# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Every kind of ring_program runs here and finds its sums right.

kind() {
  kind_sentence=$1
  shift
  check "$kind_sentence" ring_program --accesses 300 --private-pages 16 --shared-pages 16 "$@" \
    --report "$OUT/ring"
  same "$kind_sentence: the sums are right" "sums right" "$(tail -n 1 "$OUT/ring")"
}

kind "a ring in two processes that share a memfd" --processes 2
kind "all to all" --pattern all
kind "pairs, in a random order of creation" --pattern pairs --random-creation
kind "a file that is shared" --file /dev/shm/pages
kind "locked pages" --lock
kind "huge pages" --huge
kind "scrambled threads, all pages on one node" --cpus scrambled --touch main
kind "its own affinity" --cpus kept
kind "256 threads" --threads 256
kind "1,000 short threads, forks and execs" --short-threads 1000 --forks 50 --execs 10
same "all of them went well" "made 1000 short threads, 50 forks, 10 execs, 0 failed" \
  "$(grep '^made' "$OUT/ring")"
