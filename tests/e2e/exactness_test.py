# SPDX-License-Identifier: Apache-2.0
"""The oracle's matrix of every workload equals the one derived on paper (workloads/README.md)."""


import derivations
import harness

# Odd and even iterations, two threads and more.
SHAPES = [(4, 3, 6), (3, 2, 7), (2, 2, 5)]


class Exactness(harness.Folder):
    def check(self, frontend, name, threads, size, iterations):
        program = harness.workload(name, frontend)
        trace, said = self.capture(
            frontend, [program, *harness.arguments(threads, size, iterations), "--addresses"])
        profile = self.profile(trace, options=["--roi"])
        expected = derivations.matrix(name, threads, size, iterations)
        self.assertEqual(profile.threads, threads)
        on_arrays = profile.matrix_of_ranges(harness.array_ranges(said))
        self.assertEqual(on_arrays, expected, f"arrays:\n{harness.show(on_arrays)}")
        if frontend == "instrumented":
            # Only the arrays are shared in the region of interest; QEMU sees the C library, too.
            self.assertEqual(profile.matrix(), expected, harness.show(profile.matrix()))
            both = self.profile(trace, name="accesses", options=["--roi", "--param", "count=accesses"])
            expected = derivations.matrix(name, threads, size, iterations, "accesses")
            self.assertEqual(both.matrix(), expected, harness.show(both.matrix()))

    def check_all(self, frontend):
        for name in derivations.WORKLOADS:
            for threads, size, iterations in SHAPES:
                with self.subTest(workload=name, threads=threads, size=size,
                                  iterations=iterations):
                    self.check(frontend, name, threads, size, iterations)

    def test_instrumented_equals_the_derivation(self):
        self.check_all("instrumented")

    def test_qemu_equals_the_derivation_on_the_arrays(self):
        self.check_all("qemu")


if __name__ == "__main__":
    harness.main()
