// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace numatch {

/// How many of the samples that the hardware offers are read. Reading all of them for one interval
/// shows what a program does; from then on reading them takes no more than its budget, and less
/// and less of it while what they say changes nothing.
class sample_budget {
 public:
  /// `share` of the program's cycles may go into reading; a sample takes `cost` cycles.
  sample_budget(double share, double cost) : share_(share), cost_(cost) {}

  /// One of so many samples is read; at least 1.
  std::uint64_t thinning() const { return thinning_; }
  void note_read() { ++read_; }

  /// An interval in which the program ran so many cycles; `changed`: its samples led to something.
  void end_interval(double cycles, bool changed);

 private:
  double share_;
  double cost_;
  double calm_ = 1;  ///< the budget is divided by this
  std::uint64_t thinning_ = 1;
  std::uint64_t read_ = 0;  ///< in the interval
};

}  // namespace numatch
