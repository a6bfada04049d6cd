# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 1500
# A monitor that is killed at any of 100 moments leaves the program running, with right results, and nothing in it.

sensors=$(working_sensors)
check "there is a sensor" [ -n "$sensors" ]
# shellcheck disable=SC2086  # words
set -- $sensors

start_ring --threads 8 --private-pages 16 --shared-pages 16 --compute 200
program=$(sed -n 's/^process //p' "$ring")
run_ring_until 1
affinities_of "$program" > before

# The moment of a round, in seconds after the start; the same ones each time.
moment() {
  awk -v seed="$1" -v most="$2" 'BEGIN {srand(seed); rand(); printf "%.2f", rand() * most}'
}

# Those that arm from inside the program leave a mark there.
until_it_works() {
  until_it_senses "$1"
  case $2 in
    rwp | wp | numa-hint) until [ "$(marks_in "$program")" != 0 ]; do sleep 0.05; done ;;
  esac
}

armed=0
round=0
while [ "$round" -lt 80 ]; do
  round=$((round + 1))
  sensor=$1
  shift
  set -- "$@" "$sensor"
  numatch profile -p "$program" --sensor "$sensor" --budget 20 -o profile.nmp > /dev/null 2>&1 &
  monitor=$!
  # Five while they start, five when they sense, and so on: each sensor comes to both.
  if [ $((round / 5 % 2)) = 1 ]; then until_it_works "$monitor" "$sensor"; fi
  sleep "$(moment "$round" 0.5)"
  [ "$(marks_in "$program")" = 0 ] || armed=$((armed + 1))
  kill -9 "$monitor"
  wait "$monitor" 2> /dev/null
  wait_until_clean "$program"
  [ $((round % 10)) = 0 ] && echo "$round monitors killed, $armed while something was armed"
done
same "80 monitors were killed" 80 "$round"
check "some of them while something was armed" [ "$armed" -gt 0 ]

# Programs that numatch starts: they never began, or they run to their end.
ended=0
while [ "$round" -lt 100 ]; do
  round=$((round + 1))
  rm -f launched
  numatch profile --sensor "$1" -o profile.nmp -- ring_program --threads 2 --private-pages 4 --shared-pages 4 \
    --accesses 100 --report launched > /dev/null 2>&1 &
  monitor=$!
  sleep "$(moment "$round" 1)"
  kill -9 "$monitor" 2> /dev/null
  wait "$monitor" 2> /dev/null
  # Whatever runs ends; what is stopped would stay.
  until [ "$(pidof ring_program)" = "$program" ]; do sleep 0.1; done
  [ -s launched ] || continue
  ended=$((ended + 1))
  [ "$(tail -n 1 launched)" = "sums right" ] || same "what numatch started is right" "sums right" "$(tail -n 1 launched)"
done
same "20 monitors were killed that had started a program" 100 "$round"
echo "in $ended of them the program ran to its end"

run_ring_until 100
affinities_of "$program" > after
check "its threads may run where they could before" cmp before after
same "nothing is armed" 0 "$(marks_in "$program")"
same "no page is write-protected" 0 "$(armed_pages "$program" "$ring")"
same "no thread is stopped" 0 "$(stopped_in "$program")"
end_ring
