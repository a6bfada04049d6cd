// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "profiler/objects.hpp"
#include "profiler/observer.hpp"

namespace numatch {

/// False sharing: cache lines on which threads take turns although no byte that one of them writes
/// is used by the other. Fills profile::false_shares, the lines with the most accesses first. A
/// line is watched from the moment when its page has been used by two threads and written by one.
/// Lines of 64 bytes.
///
/// Memory: 32 bytes per page, and 32 bytes per (thread, line) of watched pages up to `most_parts`;
/// when that is reached, new ones are left out and the profile's metadata says so
/// ("false_sharing_limit").
class line_observer : public observer {
 public:
  static constexpr std::size_t default_most_parts = std::size_t{1} << 22;
  /// At most this many lines are reported.
  static constexpr std::size_t most_lines = 1000;

  /// `objects` names the data of each line; it must be finished before this observer is.
  explicit line_observer(object_observer& objects, std::size_t most_parts = default_most_parts)
      : objects_(objects), most_parts_(most_parts) {}

  void on_accesses(thread_id thread, std::uint64_t time,
                   std::span<const trace::access> accesses) override;
  result<void> finish(profile& learned) override;

 private:
  struct line {
    std::uint64_t turns = 0;  // accesses by another thread than the one before
    std::uint64_t writes = 0;
    object_table::object_id object = 0;
    std::uint32_t last_thread = 0;
    std::vector<false_sharing::part> parts;
  };
  struct page {
    std::uint32_t first_thread = 0;
    bool shared = false;
    bool written = false;
    std::unique_ptr<std::unordered_map<std::uint8_t, line>> lines;  // by number in the page
  };
  struct recent {
    std::uint64_t number = ~std::uint64_t{0};
    page* found = nullptr;
  };
  static constexpr std::size_t recent_slots = 64;

  page& page_of(thread_id thread, std::uint64_t number);
  void touch(page& on, thread_id thread, const trace::access& a);
  void touch_line(page& on, thread_id thread, std::uint64_t address, std::uint64_t bytes,
                  bool write);

  object_observer& objects_;
  std::size_t most_parts_;
  std::size_t parts_ = 0;
  std::uint64_t left_out_ = 0;
  std::unordered_map<std::uint64_t, page> pages_;  // by number of 4096 bytes
  std::vector<std::array<recent, recent_slots>> recents_;
};

}  // namespace numatch
