// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "ring_program/memory.hpp"
#include "ring_program/options.hpp"

namespace ring {

/// What an ordinary program does beside its work: short threads, child processes, other programs.
struct disturbance {
  std::atomic<unsigned> short_threads{0};  ///< made and found right, and so on
  std::atomic<unsigned> forks{0};
  std::atomic<unsigned> execs{0};
  std::atomic<unsigned> failed{0};
  std::atomic<bool> finished{false};

  /// How often something is made; 0 when nothing was asked for.
  static unsigned rounds_of(const options& chosen);
  /// Makes all that was asked for, one after the other, until `stop`.
  void make(const options& chosen, const memory& pages, const std::atomic<bool>& stop);
};

}  // namespace ring
