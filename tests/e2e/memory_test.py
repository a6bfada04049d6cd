# SPDX-License-Identifier: Apache-2.0
"""Capturing and profiling a run of 10^9 accesses stays under 1 GiB of memory in every process."""

import os
import subprocess

import harness

LIMIT = 1 << 30
ACCESSES = 10**9


def peak_bytes(command):
    """The largest resident size of the command or of any process that it waited for."""
    words = [str(word) for word in command]
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: exit code {child.returncode}")
    return usage.ru_maxrss * 1024


class Memory(harness.Folder):
    def check(self, frontend):
        # Every page of this program is shared and written: the most that there is to remember.
        program = harness.workload("transpose", frontend)
        trace = self.folder / "large.nmt"
        profile = self.folder / "large.nmp"
        peaks = {"capture": peak_bytes([harness.NUMATCH, "trace", "--frontend", frontend, "-o",
                                        trace, "--", program, *harness.arguments(8, 4, 120)])}
        for mechanism in ["oracle", "sammu"]:
            peaks[mechanism] = peak_bytes([harness.NUMATCH, "profile", "--trace", trace,
                                           "--mechanism", mechanism, "-o", profile])
        self.assertGreaterEqual(harness.Profile(profile).accesses(), ACCESSES)
        for step, peak in peaks.items():
            print(f"{frontend:13} {step:8} {peak / 2**20:.0f} MiB")
            self.assertLess(peak, LIMIT, step)

    def test_instrumented(self):
        self.check("instrumented")

    def test_qemu(self):
        self.check("qemu")


if __name__ == "__main__":
    harness.main()
