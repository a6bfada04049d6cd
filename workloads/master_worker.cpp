// SPDX-License-Identifier: Apache-2.0
// Master and workers: in every round thread 0 writes a task for each worker, the workers write
// their results, and thread 0 reads them.
#include <cstdint>

#include "common/annotations.hpp"
#include "common/options.hpp"
#include "common/pages.hpp"
#include "common/team.hpp"

namespace {

using word = std::uint64_t;

word task(unsigned round, unsigned worker, std::size_t i) {
  return (word{round} << 40) + (word{worker} << 20) + i;
}
word solved(word given) {
  return given * 2654435761U + 1;
}

/// A task and a result of `size` pages for each worker.
struct master_worker {
  workload::options chosen;
  workload::pages<word> tasks{chosen, "tasks", (chosen.threads - 1) * chosen.size};
  workload::pages<word> results{chosen, "results", (chosen.threads - 1) * chosen.size};
  std::size_t wrong = 0;  // written by the master only

  template <class Wait>
  void operator()(unsigned me, Wait wait) {
    const std::size_t size = chosen.size;
    const std::size_t words = size * workload::page_words;
    const unsigned workers = chosen.threads - 1;
    const unsigned rounds = chosen.iterations;
    volatile word* const all_tasks = tasks.page(0);
    volatile word* const all_results = results.page(0);
    std::size_t bad = 0;

    workload::measure(me, "master_worker", wait, [&] {
      for (unsigned round = 0; round < rounds; ++round) {
        if (me == 0) {
          for (unsigned w = 0; w < workers; ++w) {
            for (std::size_t i = 0; i < words; ++i) all_tasks[w * words + i] = task(round, w, i);
          }
        }
        wait();
        if (me != 0) {
          const std::size_t first = (me - 1) * words;
          for (std::size_t i = first; i < first + words; ++i) all_results[i] = solved(all_tasks[i]);
        }
        wait();
        if (me == 0) {
          for (unsigned w = 0; w < workers; ++w) {
            for (std::size_t i = 0; i < words; ++i) {
              if (all_results[w * words + i] != solved(task(round, w, i))) ++bad;
            }
          }
        }
      }
    });
    if (me == 0) wrong = bad;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const workload::description about{
      "master_worker", "pages per task and per result", {8, 8, 50}, 2, 1};
  master_worker body{workload::parse(argc, argv, about)};
  workload::team run(body.chosen.threads, body);
  return workload::report(about, body.chosen, body.wrong);
}
