// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pattern/granule_counts.hpp"
#include "profiler/observer.hpp"

namespace numatch {

/// Which thread used which page when: fills profile::pages and profile::windows. Time is cut into
/// windows of one length. When the program outlasts the last window, or the windows cost too much
/// memory, neighbours are merged and the length doubles. An access belongs to the window in which
/// its replay step starts.
///
/// Memory: 48 bytes per (page, thread) of the present window and 32 bytes per (page, thread,
/// window) before it, of which at most `most_records` while there is more than one window.
class page_usage_observer : public observer {
 public:
  struct settings {
    std::uint64_t page_bytes = 4096;
    unsigned most_windows = 16;
    std::uint64_t first_length = 1 << 16;  ///< of a window, in time units
    std::size_t most_records = std::size_t{1} << 21;
  };
  explicit page_usage_observer(const settings& chosen);

  void on_accesses(thread_id thread, std::uint64_t time,
                   std::span<const trace::access> accesses) override;
  /// An evicted entry's accesses count as reads: a TLB does not tell them from writes.
  void on_tlb_records(thread_id thread, std::uint64_t time,
                      std::span<const trace::tlb_record> records) override;
  result<void> finish(profile& learned) override;

 private:
  /// One thread's use of a page in a window that it has left.
  struct record {
    std::uint64_t page = 0;
    use_count use;
    std::uint32_t window = 0;
  };
  struct thread_use {
    explicit thread_use(unsigned page_shift) : open(page_shift) {}
    granule_counts open;
    std::uint32_t window = 0;
    std::vector<record> closed;
  };

  thread_use& at(thread_id thread, std::uint64_t time);
  void close_window(thread_use& of);
  void double_length();
  static void join_records(std::vector<record>& records);

  settings settings_;
  unsigned page_shift_;
  std::uint64_t length_;
  std::uint64_t last_time_ = 0;
  std::size_t records_ = 0;
  std::vector<std::unique_ptr<thread_use>> threads_;
};

}  // namespace numatch
