# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What a guest script uses. It is sourced before the script, by run-test.

checks_held=0
checks_failed=0

# check SENTENCE COMMAND...: the command must end with 0; what it prints is shown when it does not.
check() {
  check_sentence=$1
  shift
  if "$@" > /tmp/check.out 2>&1; then
    checks_held=$((checks_held + 1))
    echo "ok      $check_sentence"
  else
    echo "FAILED  $check_sentence (exit code $?): $*"
    sed 's/^/        /' /tmp/check.out
    checks_failed=$((checks_failed + 1))
  fi
}

# refuse SENTENCE COMMAND...: the command must end with another exit code than 0.
refuse() {
  refuse_sentence=$1
  shift
  check "$refuse_sentence" not "$@"
}

not() {
  ! "$@"
}

# same SENTENCE EXPECTED FOUND: two texts are the same.
same() {
  check "$1" same_text "$2" "$3"
}

same_text() {
  [ "$1" = "$2" ] || {
    echo "expected: $1"
    echo "found:    $2"
    return 1
  }
}

# becomes SECONDS COMMAND...: asks until the command ends with 0, at most so long: no test may depend on how
# slow the machine is, so the time is one that only a state that never comes would need.
becomes() {
  becomes_left=$1
  shift
  until "$@"; do
    becomes_left=$((becomes_left - 1))
    [ "$becomes_left" -gt 0 ] || return 1
    sleep 1
  done
}

# as_user COMMAND...: as the user `tester`, number 1000, who has no rights.
as_user() {
  # shellcheck disable=SC2016  # the inner shell expands them
  su tester -s /bin/sh -c 'exec "$0" "$@"' -- "$@"
}

# What run-test calls after the script.
end_of_checks() {
  [ "$checks_failed" -eq 0 ] || exit 1
  [ "$checks_held" -gt 0 ] || {
    echo "FAILED  the script checked nothing"
    exit 1
  }
  exit 0
}
