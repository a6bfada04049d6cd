// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_table.hpp"
#include "base/ids.hpp"
#include "pattern/granule_counts.hpp"
#include "pattern/profile.hpp"

namespace numatch::live {

/// How often which thread was seen to use which page, in windows of time of one length. When time
/// outlasts the last window, neighbours are joined and the length doubles. Not thread safe.
class use_windows {
 public:
  /// `first_length` in the unit of the times.
  use_windows(unsigned most_windows, std::uint64_t first_length)
      : most_windows_(most_windows), length_(first_length) {}

  void add(page_number page, thread_id thread, std::uint64_t time, const use_count& uses);
  /// Time has come so far, used or not.
  void reach(std::uint64_t time);

  std::vector<time_window> windows() const;
  /// Sorted by page, window and thread; single pages.
  std::vector<page_use> uses() const;

 private:
  /// By thread: its uses by page.
  using window = std::vector<flat_table<use_count>>;
  static void add_to(window& sum, thread_id thread, std::uint64_t page, const use_count& uses);
  void double_length();

  unsigned most_windows_;
  std::uint64_t length_;
  std::uint64_t last_time_ = 0;
  std::vector<window> windows_;
};

}  // namespace numatch::live
