// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "ring_program/control.hpp"
#include "ring_program/memory.hpp"
#include "ring_program/options.hpp"
#include "ring_program/pattern.hpp"

namespace ring {

/// What a thread knows of one page that it uses. Only that thread writes it; others may read the
/// counts at any time.
struct page_record {
  std::size_t page = 0;
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};
  std::uint64_t sum = 0;  ///< what its own word of the page must be
};

/// One thread of the program. In each page it has a word of its own, so that threads never race for
/// a value and every lost or stale write shows.
class worker {
 public:
  worker(const options& chosen, const memory& pages, unsigned thread);

  /// Writes to the pages of the regions that this thread is the first to touch.
  void touch();
  /// Random accesses until `told.stop` or as many as were asked for.
  void run(control& told);
  /// Pages whose word is not what it must be, and reads that found so. Only after run().
  std::uint64_t errors() const;

  unsigned thread() const { return thread_; }
  const std::vector<page_record>& records() const { return records_; }
  std::atomic<pid_t> task{0};  ///< the system's number; 0 before the thread runs

 private:
  std::uint64_t* word_of(const page_record& record) const {
    return pages_.page(record.page) + thread_;
  }
  void access(page_record& record, std::uint64_t draw);

  const options& chosen_;
  const memory& pages_;
  unsigned thread_;
  std::vector<page_record> records_;                                 ///< ascending pages
  std::array<std::vector<std::uint32_t>, phases> records_of_phase_;  ///< numbers of records
  std::uint64_t wrong_reads_ = 0;
};

}  // namespace ring
