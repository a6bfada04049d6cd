# SPDX-License-Identifier: Apache-2.0
"""What a kernel's log must not show."""

import re

TROUBLE = re.compile("|".join((
    r"\bBUG:", r"kernel BUG at", r"\bWARNING:", r"\bOops\b", r"Kernel panic", r"\bKASAN\b",
    r"soft lockup", r"hard LOCKUP", r"blocked for more than \d+ seconds", r"\brcu.* stall",
    r"general protection fault.*\[#", r"unable to handle", r"Bad page (state|map)", r"Call Trace:",
    r"list_(add|del) corruption", r"refcount_t:", r"Out of memory:", r"bad: scheduling")))
SHOWN = 12
# QEMU 7.2 may run an instruction that the kernel has patched meanwhile, and meets the breakpoint that stood
# there during the patch: https://bugzilla.redhat.com/show_bug.cgi?id=2216496. It is the first oops then.
STALE_INSTRUCTION = re.compile(r"\bint3: 0000 \[#1\]")


def troubles(log):
    """The lines of a kernel log that tell of a kernel in trouble, in order, each text once."""
    lines = (line.strip() for line in log.splitlines())
    return list(dict.fromkeys(line for line in lines if TROUBLE.search(line)))


def excerpt(log):
    """The first trouble with what the kernel says after it; empty when there is none."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        if TROUBLE.search(line):
            return "\n".join(lines[number:number + SHOWN])
    return ""


def is_emulators_fault(log):
    """Whether the emulator, and not the kernel, made the first mistake."""
    return bool(STALE_INSTRUCTION.search(log))
