# SPDX-License-Identifier: Apache-2.0
"""The processors of the capturing machine do not decide the answer: matrices from captures that were
pinned to one processor and to two correlate."""

import os

import derivations
import harness

LEAST = 0.95
MECHANISMS = ["oracle", "lapt", "sammu"]
# Every thread uses more pages than a TLB of 64 entries holds: what stays in a TLB is seen by the
# oracle, but not by LAPT and SAMMU.
SHAPES = {
    "stencil": (8, 6, 8),
    "ring": (8, 40, 8),
    "pipeline": (8, 48, 24),
    "transpose": (8, 1, 6),
    "private": (8, 96, 6),
    "master_worker": (8, 40, 8),
    "read_mostly": (8, 96, 4),
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
                a = self.profile(one, mechanism, options=["--roi"]).matrix()
                b = self.profile(two, mechanism, options=["--roi"]).matrix()
                found = harness.correlation(a, b)
                print(f"{frontend:13} {name:14} {mechanism:7} "
                      f"{'constant' if found is None else f'{found:.4f}'}")
                if found is None:
                    self.assertEqual(a, b)
                else:
                    self.assertGreaterEqual(
                        found, LEAST, f"one:\n{harness.show(a)}\ntwo:\n{harness.show(b)}")

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
