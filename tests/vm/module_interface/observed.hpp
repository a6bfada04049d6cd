// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>

/// A child process that runs a function again and again until this object goes.
class observed {
 public:
  static constexpr std::size_t pages = 64;

  /// Uses `pages` pages, then sleeps for a millisecond; `before` runs once, in the child.
  explicit observed(const std::function<void()>& before = [] {});
  ~observed();
  observed(const observed&) = delete;
  observed& operator=(const observed&) = delete;

  pid_t pid() const { return pid_; }
  /// Of its first page; the same in both processes.
  char* memory() const { return memory_; }

 private:
  pid_t pid_ = 0;
  char* memory_ = nullptr;
};
