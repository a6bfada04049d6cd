// SPDX-License-Identifier: Apache-2.0
// Private: every thread works on its own pages and on nothing else.
#include <cstdint>

#include "common/annotations.hpp"
#include "common/crew.hpp"
#include "common/options.hpp"
#include "common/pages.hpp"

namespace {

using word = std::uint64_t;

/// One thread's whole work; returns the number of wrong values.
[[gnu::noinline]] std::size_t work(unsigned me, volatile word* mine, std::size_t words,
                                   unsigned iterations) {
  for (std::size_t i = 0; i < words; ++i) mine[i] = me + i;
  workload::measure(me, "private", workload::omp_wait, [=] {
    for (unsigned k = 0; k < iterations; ++k) {
      for (std::size_t i = 0; i < words; ++i) mine[i] = mine[i] + 3;
    }
  });
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < words; ++i) {
    if (mine[i] != me + i + word{3} * iterations) ++wrong;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::description about{"private", "pages per thread", {8, 64, 20}};
  const workload::options chosen = workload::parse(argc, argv, about);
  const workload::pages<word> data(chosen, "private", chosen.threads * chosen.size);
  const std::size_t wrong = workload::on_all_threads(chosen.threads, [&](unsigned me) {
    return work(me, data.page(me * chosen.size), chosen.size * workload::page_words,
                chosen.iterations);
  });
  return workload::report(about, chosen, wrong);
}
