// SPDX-License-Identifier: Apache-2.0
// Floating point: the triad a = b + s·c and a 5-point stencil, OpenMP, plain arrays as any compiler
// likes them. About 640 million accesses of 8 bytes by default. Prints a checksum.
// usage: triad_stencil [THREADS [REPETITIONS]]
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t triad_size = std::size_t{1} << 21;
constexpr std::size_t side = 1024;

void triad(std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < triad_size; ++i) a[i] = b[i] + 3.0 * c[i];
}

void stencil(std::vector<double>& to, const std::vector<double>& from) {
#pragma omp parallel for schedule(static)
  for (std::size_t row = 1; row < side - 1; ++row) {
    for (std::size_t c = 1; c + 1 < side; ++c) {
      const std::size_t at = row * side + c;
      to[at] = 0.2 * (from[at] + from[at - 1] + from[at + 1] + from[at - side] + from[at + side]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 25;
  if (threads < 1 || repetitions < 1) return 2;
  omp_set_num_threads(threads);
  std::vector<double> a(triad_size);
  std::vector<double> b(triad_size, 1.0);
  std::vector<double> c(triad_size, 2.0);
  std::vector<double> grid(side * side, 1.0);
  std::vector<double> next(side * side, 1.0);
  for (int k = 0; k < repetitions; ++k) {
    triad(a, b, c);
    triad(b, a, c);
    stencil(next, grid);
    stencil(grid, next);
  }
  std::printf("%g %g\n", a[triad_size / 2], grid[side * side / 2]);
  return 0;
}
