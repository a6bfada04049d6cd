// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/check.hpp"
#include "trace/reader_state.hpp"

namespace numatch::trace {

struct placed_stamp {
  std::uint64_t stamp = 0;
  std::uint64_t offset = 0;  ///< of the chunk
  friend auto operator<=>(const placed_stamp&, const placed_stamp&) = default;
};

struct heap_call {
  std::uint64_t stamp = 0;
  std::uint64_t address = 0;
  bool is_allocation = false;
};

/// The invariants of one thread's chunks.
class thread_check {
 public:
  thread_check(const reader::state& trace, const thread_info& thread);
  /// Reads until something is wrong.
  std::optional<check_report::broken_invariant> run();

  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t events() const { return events_seen_; }
  std::uint64_t regions_left_open() const { return regions_.size() + rois_open_; }
  const std::vector<placed_stamp>& stamps() const { return stamps_; }
  const std::vector<heap_call>& heap_calls() const { return heap_calls_; }

 private:
  // Each returns false when something is wrong, and then `broken_` says what.
  bool fetch_event();
  bool check_accesses();
  bool check_blocks();
  bool check_tlb_records();
  bool check_events_before(std::uint64_t position);
  bool check_event(const event& happened);
  bool check_regions(const event& happened);
  bool note_heap_call(const event& happened);
  bool check_stamp(const chunk_sequence& chunks, std::uint64_t stamp, std::uint64_t& last);
  bool broken(const chunk_sequence& chunks, std::string what);
  bool broken(const chunk_sequence& chunks, error e);

  std::string who_;
  bool filtered_;
  chunk_sequence data_;
  event_sequence events_;
  decoder unpacked_;
  const event* next_event_ = nullptr;
  std::optional<check_report::broken_invariant> broken_;

  std::uint64_t position_ = 0;
  std::uint64_t event_position_ = 0;
  std::uint64_t last_stamp_ = 0;
  std::uint64_t accesses_ = 0;
  std::uint64_t events_seen_ = 0;
  bool ended_ = false;
  std::uint64_t rois_open_ = 0;
  std::vector<std::string> regions_;
  std::vector<placed_stamp> stamps_;
  std::vector<heap_call> heap_calls_;
};

}  // namespace numatch::trace
