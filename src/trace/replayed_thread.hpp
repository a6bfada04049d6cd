// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "trace/reader.hpp"

namespace numatch::trace {

/// One thread on its way through a replay: merges its accesses (or TLB records) with its events and
/// keeps its virtual clock.
class replayed_thread {
 public:
  replayed_thread(const reader& trace, const thread_info& info);

  /// What comes next. Fetches what is needed; call it before the functions below.
  enum class kind { event, accesses, tlb_records, end };
  result<kind> peek();

  /// The event that peek() saw, until the next peek().
  const event& next_event() const { return *event_; }
  void pass_event();

  /// Accesses up to the clock `until` (at least one); moves the clock.
  std::span<const access> take_accesses(std::uint64_t until);
  std::span<const tlb_record> take_tlb_records(std::uint64_t until);

  thread_id id() const { return id_; }
  std::uint64_t clock() const { return clock_; }
  void wait_until(std::uint64_t time) {
    if (time > clock_) clock_ = time;
  }
  std::uint64_t position() const { return position_; }
  /// Lets go of the chunks in memory.
  void close();

 private:
  result<void> fetch_event();
  result<void> fetch_accesses();
  void move_to(std::uint64_t position);

  thread_id id_;
  const reader* trace_;
  std::uint64_t clock_ = 0;
  std::uint64_t position_ = 0;
  std::optional<access_cursor> accesses_;
  std::optional<event_cursor> events_;
  const event* event_ = nullptr;
  bool event_passed_ = true;
  bool events_ended_ = false;
  bool accesses_ended_ = false;

  block block_;
  std::size_t used_ = 0;  ///< accesses of block_, or records_
  std::uint64_t block_clock_ = 0;
  std::span<const tlb_record> records_;
  bool filtered_;
  bool counts_instructions_;
  double time_per_access_ = 1;  ///< of a filtered thread, whose blocks are not known
};

}  // namespace numatch::trace
