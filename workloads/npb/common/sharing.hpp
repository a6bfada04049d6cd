// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "common/annotations.hpp"
#include "common/crew.hpp"

namespace npb {

struct range {
  std::size_t first;
  std::size_t last;  // one behind
};

/// Thread `me`'s part of first to last - 1, split as OpenMP's static schedule does: parts differ by
/// one at most, the longer ones first.
inline range part_of(range all, unsigned me, unsigned threads) {
  const std::size_t count = all.last > all.first ? all.last - all.first : 0;
  const std::size_t each = count / threads;
  const std::size_t longer = count % threads;
  const std::size_t first = all.first + me * each + (me < longer ? me : longer);
  return {first, first + each + (me < longer ? 1 : 0)};
}

/// Sums over all threads that are the same in each of them: every thread leaves its part in a cache
/// line of its own and adds up all of them in one order. Two sets of lines take turns, so that a
/// fast thread does not overwrite what a slow one has still to read.
class all_sum {
 public:
  explicit all_sum(unsigned threads) : lines_(threads) {}

  /// Called by all threads of the team, each with its own `turn`, which begins with 0.
  double operator()(unsigned me, unsigned& turn, double part) {
    const unsigned set = turn++ % 2;
    lines_[me].value[set] = part;
    workload::omp_wait();
    double sum = 0;
    for (const line& of : lines_) sum += of.value[set];
    return sum;
  }

 private:
  struct alignas(64) line {
    std::array<double, 2> value;
  };
  std::vector<line> lines_;
};

}  // namespace npb
