# SPDX-License-Identifier: Apache-2.0
"""LAPT's and SAMMU's matrices of the structured workloads correlate with the oracle's."""


import harness
from two_processors_test import SHAPES

LEAST = 0.9
# transpose has the same amount everywhere: there is no structure to correlate with.
STRUCTURED = ["stencil", "ring", "pipeline", "master_worker"]


class Detectors(harness.Folder):
    def check_all(self, frontend):
        for name in STRUCTURED:
            trace, _ = self.capture(
                frontend, [harness.workload(name, frontend), *harness.arguments(*SHAPES[name])])
            oracle = self.profile(trace, "oracle", options=["--roi"]).matrix()
            for mechanism in ["lapt", "sammu"]:
                with self.subTest(workload=name, mechanism=mechanism):
                    seen = self.profile(trace, mechanism, options=["--roi"]).matrix()
                    found = harness.correlation(oracle, seen)
                    self.assertIsNotNone(found, harness.show(seen))
                    print(f"{frontend:13} {name:14} {mechanism:7} {found:.4f}")
                    self.assertGreaterEqual(found, LEAST, harness.show(seen))

    def test_instrumented(self):
        self.check_all("instrumented")

    def test_qemu(self):
        self.check_all("qemu")


if __name__ == "__main__":
    harness.main()
