// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/console.hpp"

namespace numatch::cli {

/// "simulate: 43 % of 24.0 M accesses in 2 runs, 8.1 M per second, 2 s left"
std::string progress_line(std::uint64_t done, std::uint64_t all, std::size_t runs, double seconds);

/// Draws the progress of simulations on a terminal, a few times per second. One call at a time.
class simulation_progress {
 public:
  /// `accesses` of all runs together.
  simulation_progress(console& terminal, std::uint64_t accesses, std::size_t runs)
      : terminal_(terminal), accesses_(accesses), runs_(runs) {}
  void operator()(std::uint64_t done);

 private:
  using clock = std::chrono::steady_clock;
  console& terminal_;
  std::uint64_t accesses_;
  std::size_t runs_;
  clock::time_point begin_ = clock::now();
  clock::time_point drawn_ = begin_;
};

}  // namespace numatch::cli
