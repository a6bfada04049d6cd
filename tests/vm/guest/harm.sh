# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016  # awk expands
# What must not be left in a program that was watched.

# The sensors that work here, but for the one that arms nothing.
working_sensors() {
  numatch doctor | sed -n 's/^  \([a-z-]*\) *yes .*/\1/p' | grep -vx faults
}

# until_it_senses PID: until this numatch has opened its events.
until_it_senses() {
  until senses "$1"; do sleep 0.02; done
}

senses() {
  for file in /proc/"$1"/fd/*; do
    case $(readlink "$file") in *perf_event*) return 0 ;; esac
  done
  return 1
}

# marks_in PID: how many traces of a sensor are in it: mappings under a userfaultfd (VmFlags um, uw, ...) and
# mappings with a memory policy.
marks_in() {
  awk 'FILENAME ~ /smaps/ && $1 == "VmFlags:" {for (i = 2; i <= NF; ++i) if ($i ~ /^u/) {++marks; break}}
    FILENAME ~ /numa_maps/ && $2 != "default" {++marks}
    END {print marks + 0}' "/proc/$1/smaps" "/proc/$1/numa_maps" 2> /dev/null
}

# armed_pages PID REPORT: pages of the regions in the report that are write-protected through a userfaultfd (bit 57
# of their page map).
armed_pages() {
  awk '$1 == "region" {print $4, $5}' "$2" | while read -r address pages; do
    dd if="/proc/$1/pagemap" bs=8 skip=$((address / 4096)) count="$pages" 2> /dev/null
  done | od -An -v -t x1 -w8 | awk '$8 ~ /[2367abef]$/ {++armed} END {print armed + 0}'
}

# The threads of a process that are stopped.
stopped_in() {
  cat /proc/"$1"/task/*/stat 2> /dev/null | awk '{sub(/.*\) /, "")} /^[Tt]/ {++stopped} END {print stopped + 0}'
}

# Where each thread of a process may run.
affinities_of() {
  cat /proc/"$1"/task/*/status 2> /dev/null | grep '^Cpus_allowed_list'
}

# Until nothing is left in a process; what stays is waited for until the script's time is over.
wait_until_clean() {
  until [ "$(marks_in "$1")" = 0 ] && [ "$(stopped_in "$1")" = 0 ]; do sleep 0.1; done
}
