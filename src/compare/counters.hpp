// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "compare/figures.hpp"

namespace numatch::compare {

/// The processor's counters for a program, its threads and its children, in user mode:
/// instructions, last-level cache misses, loads from other nodes. Counts are scaled up where the
/// processor's counters had to take turns.
class counters {
 public:
  counters();
  ~counters();
  counters(const counters&) = delete;
  counters& operator=(const counters&) = delete;

  /// What cannot be counted here and why, one line each.
  const std::vector<std::string>& missing() const { return missing_; }
  /// Counts `program` from its next exec on.
  void attach(pid_t program);
  /// Fills the figures after the program's end, and stops counting.
  void read_into(run_figures& figures);

 private:
  static constexpr std::size_t events = 3;
  std::array<int, events> open_{-1, -1, -1};  ///< descriptors
  std::array<bool, events> usable_{};
  std::vector<std::string> missing_;
};

}  // namespace numatch::compare
