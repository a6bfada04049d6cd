// SPDX-License-Identifier: Apache-2.0
// Ring: in every iteration each thread computes its new buffer from its left neighbour's old one.
#include <cstdint>
#include <vector>

#include "common/annotations.hpp"
#include "common/options.hpp"
#include "common/pages.hpp"
#include "common/team.hpp"

namespace {

using word = std::uint64_t;

word first_value(unsigned thread, std::size_t i) {
  return (word{thread} << 32) + i;
}

/// Two buffers of `size` pages for every thread: one is read while the other one is written.
struct ring {
  workload::options chosen;
  workload::pages<word> even{chosen, "ring even", chosen.threads* chosen.size};
  workload::pages<word> odd{chosen, "ring odd", chosen.threads* chosen.size};
  std::vector<std::size_t> wrong = std::vector<std::size_t>(chosen.threads);

  template <class Wait>
  void operator()(unsigned me, Wait wait) {
    const unsigned threads = chosen.threads;
    const unsigned left = (me + threads - 1) % threads;
    const unsigned iterations = chosen.iterations;
    const std::size_t size = chosen.size;
    const std::size_t words = size * workload::page_words;
    volatile word* const mine[2] = {even.page(me * size), odd.page(me * size)};
    volatile word* from = even.page(left * size);
    volatile word* to = mine[1];
    volatile word* other_from = odd.page(left * size);
    volatile word* other_to = mine[0];
    for (std::size_t i = 0; i < words; ++i) mine[0][i] = first_value(me, i);

    workload::measure(me, "ring", wait, [&] {
      for (unsigned k = 0; k < iterations; ++k) {
        for (std::size_t i = 0; i < words; ++i) to[i] = from[i] + 1;
        wait();
        std::swap(from, other_from);
        std::swap(to, other_to);
      }
    });

    const unsigned origin = (me + threads - iterations % threads) % threads;
    const volatile word* const last = mine[iterations % 2];
    for (std::size_t i = 0; i < words; ++i) {
      if (last[i] != first_value(origin, i) + iterations) ++wrong[me];
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const workload::description about{"ring", "pages per thread and buffer", {8, 16, 40}, 2, 1};
  ring body{workload::parse(argc, argv, about)};
  workload::team run(body.chosen.threads, body);
  std::size_t wrong = 0;
  for (const std::size_t w : body.wrong) wrong += w;
  return workload::report(about, body.chosen, wrong);
}
