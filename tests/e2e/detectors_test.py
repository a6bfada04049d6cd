# SPDX-License-Identifier: Apache-2.0
"""LAPT's and SAMMU's matrices of the structured workloads correlate with the oracle's."""

import json

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

    def test_a_larger_page_lowers_the_exclusivity_level(self):
        """SAMMU section 4.4: more threads share a page when it is larger."""
        trace, _ = self.capture(
            "instrumented",
            [harness.workload("stencil", "instrumented"), *harness.arguments(8, 6, 4)])
        levels = []
        for page in [4096, 16384, 65536, 1 << 20]:
            learned = self.profile(trace, options=["--roi", "--page-size", page])
            report = json.loads(harness.run(harness.NUMATCH, "report", learned.path, "--json").stdout)
            levels.append(report["pages"]["exclusivity_level"])
        print("exclusivity level:", *(f"{level:.3f}" for level in levels))
        self.assertEqual(levels, sorted(levels, reverse=True))
        self.assertLess(levels[-1], levels[0] / 2)


if __name__ == "__main__":
    harness.main()
