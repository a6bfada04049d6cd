# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Starting, asking and ending ring_program in a guest script. $ring is its report.
ring=$OUT/ring

# start_ring [COMMAND... --] OPTION...: in the background, under COMMAND if there is one; goes on when all its
# threads run. Its report then exists.
start_ring() {
  rm -f "$ring"
  case " $* " in
    *" -- "*) "$@" --report "$ring" & ;;
    *) ring_program "$@" --report "$ring" & ;;
  esac
  ring_job=$!
  ring_wait
}

ring_lost() {
  echo "FAILED  ring_program ended, or never wrote its report"
  exit 1
}

# The report of now.
ask_ring() {
  ring_process=$(sed -n 's/^process //p' "$ring")
  rm -f "$ring"
  kill -USR1 "$ring_process"
  ring_wait
}

ring_wait() {
  until [ -s "$ring" ]; do
    kill -0 "$ring_job" 2> /dev/null || ring_lost
    sleep 0.1
  done
}

# run_ring_until N: until each thread of the first process made N accesses.
run_ring_until() {
  until ask_ring && ring_made_each "$1"; do sleep 0.1; done
}

ring_made_each() {
  awk -v least="$1" '$1 == "thread" {made[$2] += 0} $1 == "used" {made[$3] += $4 + $5}
    END {for (thread in made) if (made[thread] < least) exit 1}' "$ring"
}

# Where its threads and pages are now, into $OUT/places.
locate_ring() {
  ask_ring
  ring_places "$ring" > "$OUT/places"
}

# located NAME PERCENT: of what $OUT/places counts as NAME, at least so much is there.
located() {
  awk -v name="$1" -v share="$2" '$1 == name {found = 100 * $2 / $4 >= share} END {exit !found}' "$OUT/places"
}

# Ends it; its sums must be right.
end_ring() {
  kill -TERM "$(sed -n 's/^process //p' "$ring")"
  wait "$ring_job"
  same "ring_program ends well" 0 $?
  same "each byte that its threads wrote is right" "sums right" "$(tail -n 1 "$ring")"
}
