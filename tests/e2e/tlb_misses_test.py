# SPDX-License-Identifier: Apache-2.0
"""TLB misses do not depend on the front-end: those of a program with one thread agree within 3 %."""

import shutil

import harness

MOST_DIFFERENCE = 0.03


class TlbMisses(harness.Folder):
    def misses(self, frontend, program):
        trace, _ = self.capture(frontend, [program], name=frontend, options=["--filter", "tlb"])
        return harness.trace_info(trace)["tlb_misses"]

    def test_agree_between_qemu_and_instrumented(self):
        plain = harness.BUILD / "tests/e2e/tlb_program"
        instrumented = harness.BUILD / "tests/e2e/tlb_program_instrumented"
        if shutil.which("qemu-x86_64") is None or not instrumented.exists():
            self.skipTest("needs both front-ends")
        qemu = self.misses("qemu", plain)
        own = self.misses("instrumented", instrumented)
        print(f"qemu {qemu}, instrumented {own}, ratio {qemu / own:.4f}")
        self.assertGreater(own, 100000, "the program is made to miss")
        self.assertLessEqual(abs(qemu - own), MOST_DIFFERENCE * own)


if __name__ == "__main__":
    harness.main()
