// SPDX-License-Identifier: Apache-2.0
// Transpose: a square matrix of tiles, 64 x 64 words each; every thread owns a band of tile rows
// and in every iteration fills it with the transposed other array, so that it reads from everybody.
#include <cstdint>
#include <utility>

#include "common/annotations.hpp"
#include "common/crew.hpp"
#include "common/options.hpp"
#include "common/pages.hpp"

namespace {

using word = std::uint64_t;
constexpr std::size_t side = 64;
constexpr std::size_t tile_words = side * side;
constexpr std::size_t tile_pages = tile_words / workload::page_words;

word first_value(std::size_t row, std::size_t column) {
  return (word{row} << 32) + column;
}

/// A tile on row `row` and column `column` of a matrix of `n` x `n` tiles.
volatile word* tile(volatile word* matrix, std::size_t n, std::size_t row, std::size_t column) {
  return matrix + (row * n + column) * tile_words;
}

/// One thread's whole work on tile rows first to last - 1; returns the number of wrong values.
[[gnu::noinline]] std::size_t work(unsigned me, volatile word* even, volatile word* odd,
                                   std::size_t n, std::size_t first, std::size_t last,
                                   unsigned iterations) {
  for (std::size_t row = first; row < last; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      volatile word* const to = tile(even, n, row, column);
      for (std::size_t i = 0; i < tile_words; ++i) {
        to[i] = first_value(row * side + i / side, column * side + i % side);
      }
    }
  }
  workload::measure(me, "transpose", workload::omp_wait, [=] {
    volatile word* from = even;
    volatile word* to = odd;
    for (unsigned k = 0; k < iterations; ++k) {
      for (std::size_t row = first; row < last; ++row) {
        for (std::size_t column = 0; column < n; ++column) {
          const volatile word* const in = tile(from, n, column, row);
          volatile word* const out = tile(to, n, row, column);
          for (std::size_t i = 0; i < side; ++i) {
            for (std::size_t j = 0; j < side; ++j) out[i * side + j] = in[j * side + i] + 1;
          }
        }
      }
      workload::omp_wait();
      std::swap(from, to);
    }
  });
  std::size_t wrong = 0;
  for (std::size_t row = first; row < last; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      const volatile word* const is = tile(iterations % 2 == 0 ? even : odd, n, row, column);
      for (std::size_t i = 0; i < tile_words; ++i) {
        std::size_t r = row * side + i / side;
        std::size_t c = column * side + i % side;
        if (iterations % 2 == 1) std::swap(r, c);
        if (is[i] != first_value(r, c) + iterations) ++wrong;
      }
    }
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::description about{"transpose", "tile rows per thread", {8, 1, 10}};
  const workload::options chosen = workload::parse(argc, argv, about);
  const std::size_t n = chosen.threads * chosen.size;
  const workload::pages<word> even(chosen, "transpose even", n * n * tile_pages);
  const workload::pages<word> odd(chosen, "transpose odd", n * n * tile_pages);
  const std::size_t wrong = workload::on_all_threads(chosen.threads, [&](unsigned me) {
    return work(me, even.page(0), odd.page(0), n, me * chosen.size, (me + 1) * chosen.size,
                chosen.iterations);
  });
  return workload::report(about, chosen, wrong);
}
