// SPDX-License-Identifier: Apache-2.0
// Pipeline: every thread is a stage. Stage t takes an item from the channel on its left, adds its
// number and puts the item into the channel on its right; all stages step together, so that stage t
// works on item s - t in step s.
#include <cstdint>
#include <vector>

#include "common/annotations.hpp"
#include "common/options.hpp"
#include "common/pages.hpp"
#include "common/team.hpp"

namespace {

using word = std::uint64_t;

word produced(std::size_t item, std::size_t i) {
  return (word{item} << 32) + i * i;
}

/// Channel t lies between stages t and t + 1 and holds two items of `size` pages: one is written
/// while the one before it is read.
struct pipeline {
  workload::options chosen;
  workload::pages<word> channels{chosen, "pipeline channels",
                                 (chosen.threads - 1) * 2 * chosen.size};
  std::size_t wrong = 0;  // written by the last stage only

  template <class Wait>
  void operator()(unsigned me, Wait wait) {
    const std::size_t size = chosen.size;
    const std::size_t words = size * workload::page_words;
    const std::size_t items = chosen.iterations;
    const unsigned last = chosen.threads - 1;
    volatile word* const left = me == 0 ? nullptr : channels.page((me - 1) * 2 * size);
    volatile word* const right = me == last ? nullptr : channels.page(me * 2 * size);
    const word expected_add = word{last} * (last - 1) / 2;
    std::size_t bad = 0;

    workload::measure(me, "pipeline", wait, [&] {
      for (std::size_t step = 0; step < items + last; ++step) {
        if (step >= me && step - me < items) {
          const std::size_t item = step - me;
          const volatile word* const in = left + item % 2 * words;
          volatile word* const out = right + item % 2 * words;
          for (std::size_t i = 0; i < words; ++i) {
            if (me == 0) {
              out[i] = produced(item, i);
            } else if (me < last) {
              out[i] = in[i] + me;
            } else if (in[i] != produced(item, i) + expected_add) {
              ++bad;
            }
          }
        }
        wait();
      }
    });
    if (me == last) wrong = bad;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const workload::description about{"pipeline", "pages per item", {8, 4, 200}, 2, 1};
  pipeline body{workload::parse(argc, argv, about)};
  workload::team run(body.chosen.threads, body);
  return workload::report(about, body.chosen, body.wrong);
}
