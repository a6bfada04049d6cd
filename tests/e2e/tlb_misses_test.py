# SPDX-License-Identifier: Apache-2.0
"""TLB misses do not depend on how they were found: in a program with one thread those seen by the two
front-ends agree within 3 %, those of a filtered and of a full trace exactly."""

import shutil

import harness

MOST_DIFFERENCE = 0.03
PLAIN = harness.BUILD / "tests/e2e/tlb_program"
INSTRUMENTED = harness.BUILD / "tests/e2e/tlb_program_instrumented"


class TlbMisses(harness.Folder):
    def setUp(self):
        super().setUp()
        if not INSTRUMENTED.exists():
            self.skipTest(f"{INSTRUMENTED} is not built")

    def misses(self, frontend, program, name, options=()):
        trace, _ = self.capture(frontend, [program], name, options=options)
        return int(self.profile(trace, "lapt").metadata("tlb_misses"))

    def test_agree_between_qemu_and_instrumented(self):
        if shutil.which("qemu-x86_64") is None:
            self.skipTest("qemu-x86_64 is not installed")
        qemu = self.misses("qemu", PLAIN, "qemu")
        own = self.misses("instrumented", INSTRUMENTED, "own")
        print(f"qemu {qemu}, instrumented {own}, ratio {qemu / own:.4f}")
        self.assertGreater(own, 100000, "the program is made to miss")
        self.assertLessEqual(abs(qemu - own), MOST_DIFFERENCE * own)

    def test_of_a_filtered_trace_are_those_of_the_full_one(self):
        full = self.misses("instrumented", INSTRUMENTED, "full")
        filtered = self.misses("instrumented", INSTRUMENTED, "filtered", ["--filter", "tlb"])
        self.assertEqual(full, filtered)


if __name__ == "__main__":
    harness.main()
