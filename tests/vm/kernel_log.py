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
# With softlockup_all_cpu_backtrace=1 the report of a soft lockup ends with where all other processors are.
OTHER_PROCESSOR = re.compile(r"NMI backtrace for cpu \d+")
IDLES = re.compile(r" skipped: idling at")
PLACE = re.compile(r"RIP: (\w+):")  # the first is where it is now, more is where it came from
IN_A_PROGRAM = "0033"  # the code segment of programs
WAITS_FOR_ANSWER = re.compile(r"RIP: 0010:smp_call_function_many")


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


def lost_interrupt(log):
    """Whether the first trouble is a processor that patches the kernel's code and waits in vain for others to
    answer its interrupt, while none of them is in the kernel: it would be the kernel's fault, or a
    module's, if one were there with interrupts off."""
    lines = log.splitlines()
    first = next((number for number, line in enumerate(lines) if TROUBLE.search(line)), None)
    if first is None or "soft lockup" not in lines[first]:
        return False
    waiting, *others = OTHER_PROCESSOR.split("\n".join(lines[first:]))
    return (bool(WAITS_FOR_ANSWER.search(waiting)) and "text_poke_" in waiting and bool(others) and
            all(IDLES.match(other) or PLACE.findall(other)[:1] == [IN_A_PROGRAM] for other in others))


def emulators_fault(log):
    """What the emulator, and not the kernel, has done wrong first; empty when it is not at fault."""
    if STALE_INSTRUCTION.search(log):
        return "has run an instruction that was patched (int3)"
    if lost_interrupt(log):
        return "has lost an interrupt of a processor that patches code (soft lockup in text_poke)"
    return ""
