# SPDX-License-Identifier: Apache-2.0
"""The processors of the capturing machine do not decide the answer: matrices from captures that were
pinned to one processor and to two correlate. Where all pairs share alike there is no structure that
could correlate; then the amounts themselves have to agree, and where nothing is shared both have to say
so."""

import os

import derivations
import harness

LEAST = 0.95
UNIFORM = ["transpose", "read_mostly"]
MOST_NOISE = 0.001  # of all accesses: what QEMU sees the threads share inside the C library
MECHANISMS = ["oracle", "lapt", "sammu"]
# Every thread uses more pages than a TLB of 64 entries holds: what stays in a TLB is seen by the
# oracle, but not by LAPT and SAMMU.
SHAPES = {
    "stencil": (8, 6, 8),
    "ring": (8, 40, 8),
    "pipeline": (8, 48, 24),
    "transpose": (8, 1, 10),
    "private": (8, 96, 6),
    "master_worker": (8, 40, 8),
    "read_mostly": (8, 96, 16),
}


class TwoProcessors(harness.Folder):
    def check(self, frontend, name):
        program = harness.workload(name, frontend)
        command = [program, *harness.arguments(*SHAPES[name])]
        processors = [str(p) for p in sorted(os.sched_getaffinity(0))[:2]]
        one, _ = self.capture(frontend, command, "one", cpus=processors[0])
        two, _ = self.capture(frontend, command, "two", cpus=",".join(processors))
        for mechanism in MECHANISMS:
            with self.subTest(frontend=frontend, workload=name, mechanism=mechanism):
                a = self.profile(one, mechanism, options=["--roi"])
                b = self.profile(two, mechanism, options=["--roi"])
                if name == "private":
                    self.expect_nothing(a)
                    self.expect_nothing(b)
                    continue
                compare = harness.agreement if name in UNIFORM else harness.correlation
                found = compare(a.matrix(), b.matrix())
                print(f"{frontend:13} {name:14} {mechanism:7} {compare.__name__} {found:.4f}")
                self.assertGreaterEqual(found, LEAST, f"one:\n{harness.show(a.matrix())}\n"
                                                      f"two:\n{harness.show(b.matrix())}")

    def expect_nothing(self, profile):
        shared = sum(sum(row) for row in profile.matrix())
        self.assertLessEqual(shared, MOST_NOISE * profile.accesses(),
                             harness.show(profile.matrix()))

    def check_all(self, frontend):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two processors")
        for name in derivations.WORKLOADS:
            self.check(frontend, name)

    def test_instrumented(self):
        self.check_all("instrumented")

    def test_qemu(self):
        self.check_all("qemu")


if __name__ == "__main__":
    harness.main()
