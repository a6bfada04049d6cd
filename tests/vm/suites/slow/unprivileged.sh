# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 900
# What doctor says of a user without rights is so: with what it takes, the user's own programs are watched and placed;
# without it, and for others' programs, one line says what is missing.
cd /tmp || exit 1
as_user mkdir /tmp/own
own=/tmp/own

one_line() { [ "$(wc -l < "$1")" = 1 ] && grep -q '^numatch: ' "$1"; }
# says_why NAME TEXT COMMAND...: the user's command ends with 2 and one line that has the text.
says_why() {
  says_name=$1
  says_text=$2
  shift 2
  as_user "$@" > "$own/out" 2> "$own/err"
  same "$says_name: exit code" 2 "$?"
  check "$says_name: one line" one_line "$own/err"
  check "$says_name: it says what is missing" grep -q "$says_text" "$own/err"
  cat "$own/err"
}

ring=$own/ring
as_user ring_program --cpus scrambled --touch main --private-pages 32 --shared-pages 6 --compute 500 --report "$ring" &
# shellcheck disable=SC2034  # ring_wait looks at it
ring_job=$!
ring_wait
program=$(sed -n 's/^process //p' "$ring")

echo 2 > /proc/sys/kernel/perf_event_paranoid
check "doctor says that a sensor works" as_user numatch doctor
as_user numatch doctor | head -n 5
check "a profile of the user's program" as_user numatch profile -p "$program" --duration 5 -o "$own/a.nmp"
check "a profile of a program that it starts" as_user numatch profile -o "$own/b.nmp" -- \
  ring_program --threads 2 --private-pages 4 --shared-pages 4 --accesses 200 --report "$own/short"
check "where its threads and pages are" as_user numatch show -p "$program"
check "a comparison" as_user numatch compare -n 2 --only interleave -- \
  ring_program --threads 2 --private-pages 4 --shared-pages 4 --accesses 50 --report "$own/short"

moved() { grep -q '"what":"moved"' "$own/run.jsonl"; }
as_user numatch run -p "$program" --sensor soft-dirty --budget 20 --cached 0 --log "$own/run.jsonl" > "$own/run" 2>&1 &
run=$!
check "its threads and pages are placed" becomes 200 moved
kill -TERM "$(pidof numatch)" # $run is the shell that became the user
wait "$run"
same "which ends well" 0 "$?"
cat "$own/run"
same "no thread could not be bound" 0 "$(grep -c refused "$own/run")"

says_why "a program of root" "belongs to user root" numatch run -p 1 --duration 1
says_why "a profile of a program of root" "belongs to user root" numatch profile -p 1 -o "$own/c.nmp"
echo 3 > /proc/sys/kernel/perf_event_paranoid
refuse "doctor says that no sensor works" as_user numatch doctor
says_why "run, where nobody may sample" "perf_event_paranoid" numatch run -p "$program" --duration 1
says_why "profile, where nobody may sample" "perf_event_paranoid" numatch profile -p "$program" -o "$own/c.nmp"
check "where threads and pages are is told all the same" as_user numatch show -p "$program"
end_ring
