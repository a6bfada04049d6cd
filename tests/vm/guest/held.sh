# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the kernel module says that it holds.

# live WHAT: how many sessions, threads or pages there are now.
live() {
  cat "/sys/module/numatch/parameters/live_$1"
}

# Nothing is left of any session.
nothing_lives() {
  echo "$(live sessions) sessions, $(live threads) threads, $(live pages) pages"
  [ "$(live sessions) $(live threads) $(live pages)" = "0 0 0" ]
}
