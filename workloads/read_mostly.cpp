// SPDX-License-Identifier: Apache-2.0
// Read-mostly table: in every iteration all threads read the whole table; then one thread, each in
// its turn, changes the first word of every page.
#include <cstdint>

#include "common/annotations.hpp"
#include "common/crew.hpp"
#include "common/options.hpp"
#include "common/pages.hpp"

namespace {

using word = std::uint64_t;

/// One thread's whole work; returns the number of iterations in which its sum was wrong.
[[gnu::noinline]] std::size_t work(unsigned me, unsigned threads, volatile word* table,
                                   std::size_t size, unsigned iterations) {
  const std::size_t words = size * workload::page_words;
  if (me == 0) {
    for (std::size_t i = 0; i < words; ++i) table[i] = i;
  }
  const word first_sum = word{words} * (words - 1) / 2;
  std::size_t wrong = 0;
  workload::measure(me, "read_mostly", workload::omp_wait, [=, &wrong] {
    std::size_t bad = 0;
    for (unsigned k = 0; k < iterations; ++k) {
      word sum = 0;
      for (std::size_t i = 0; i < words; ++i) sum += table[i];
      if (sum != first_sum + word{k} * size) ++bad;
      workload::omp_wait();
      if (k % threads == me) {
        for (std::size_t p = 0; p < size; ++p) {
          table[p * workload::page_words] = p * workload::page_words + k + 1;
        }
      }
      workload::omp_wait();
    }
    wrong = bad;
  });
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::description about{"read_mostly", "pages of the table", {8, 64, 20}};
  const workload::options chosen = workload::parse(argc, argv, about);
  const workload::pages<word> table(chosen, "table", chosen.size);
  const std::size_t wrong = workload::on_all_threads(chosen.threads, [&](unsigned me) {
    return work(me, chosen.threads, table.page(0), chosen.size, chosen.iterations);
  });
  return workload::report(about, chosen, wrong);
}
