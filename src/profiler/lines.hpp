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
/// Memory: about 60 bytes per page, and at most `most_bytes` for watched lines; when that is
/// reached, new lines and threads are left out and the profile's metadata says so
/// ("false_sharing_limit").
class line_observer : public observer {
 public:
  static constexpr std::size_t default_most_bytes = std::size_t{256} << 20;
  /// At most this many lines are reported.
  static constexpr std::size_t most_lines = 1000;

  /// `objects` names the data of each line; it must be finished before this observer is.
  explicit line_observer(object_observer& objects, std::size_t most_bytes = default_most_bytes)
      : objects_(objects), most_bytes_(most_bytes) {}

  void on_accesses(thread_id thread, std::uint64_t time,
                   std::span<const trace::access> accesses) override;
  result<void> finish(profile& learned) override;

 private:
  struct line {
    std::uint64_t turns = 0;  // accesses by another thread than the one before
    std::uint64_t writes = 0;
    object_table::object_id object = 0;
    std::uint32_t last_part = 0;  // of the thread that came last
    std::vector<false_sharing::part> parts;
  };
  struct page {
    std::uint32_t first_thread = 0;
    bool shared = false;
    bool written = false;
    std::unique_ptr<std::array<line, 64>> lines;
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
  bool reserve(std::size_t bytes);
  false_sharing::part* part_of(line& here, thread_id thread, std::uint64_t address);

  object_observer& objects_;
  std::size_t most_bytes_;
  std::size_t used_bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::unordered_map<std::uint64_t, page> pages_;  // by number of 4096 bytes
  std::vector<std::array<recent, recent_slots>> recents_;
};

}  // namespace numatch
