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
  static constexpr std::size_t lines_per_page = 64;
  using page_lines = std::array<line, lines_per_page>;
  struct page {
    std::uint32_t first_thread = 0;
    bool shared = false;
    bool written = false;
    std::unique_ptr<page_lines> lines;
  };
  /// A line that a thread has used lately.
  struct recent {
    std::uint64_t number = ~std::uint64_t{0};  // address / line size
    page* on = nullptr;
    line* here = nullptr;    // null while the page is not watched
    std::uint32_t part = 0;  // this thread's in `here`
  };
  static constexpr std::size_t recent_slots = 256;
  using thread_recents = std::array<recent, recent_slots>;

  recent& recent_of(thread_recents& recents, thread_id thread, std::uint64_t number);
  bool find_part(recent& slot, thread_id thread);
  void touch(recent& slot, thread_id thread, std::uint64_t mask, bool write);
  bool reserve(std::size_t bytes);

  object_observer& objects_;
  std::size_t most_bytes_;
  std::size_t used_bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::unordered_map<std::uint64_t, page> pages_;  // by number of 4096 bytes
  std::vector<thread_recents> recents_;
};

}  // namespace numatch
