// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "mechanism/world.hpp"

namespace numatch {

/// The wake-ups of a mechanism that works from time to time: at most one is asked for at a time,
/// and none while no thread lives, so that a program that has ended is left alone.
class alarm {
 public:
  void thread_started() { ++live_; }
  void thread_ended() { --live_; }
  std::size_t live_threads() const { return live_; }

  /// Nothing happens while a wake-up is under way already.
  void sleep_until(instant when, world& where) {
    if (asleep_ || live_ == 0) return;
    where.wake_up_at(when);
    asleep_ = true;
  }
  /// At the start of on_wake_up().
  void woken() { asleep_ = false; }

 private:
  std::size_t live_ = 0;
  bool asleep_ = false;
};

}  // namespace numatch
