// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/replayed_thread.hpp"

#include <algorithm>

namespace numatch::trace {

namespace {

constexpr std::uint64_t no_page = ~std::uint64_t{0};

/// Time from the block's start to its access number `used`: its instructions are spread evenly.
std::uint64_t time_in(const block& b, bool counts_instructions, std::uint64_t used) {
  if (!counts_instructions) return used;
  const std::uint64_t count = b.accesses.size();
  const std::uint64_t whole = std::max<std::uint64_t>(b.instructions, 1);
  return whole / count * used + whole % count * used / count;
}

}  // namespace

replayed_thread::replayed_thread(const reader& trace, const thread_info& info)
    : id_(info.id),
      trace_(&trace),
      filtered_(trace.tlb_filtered()),
      counts_instructions_(trace.metadata().counts_instructions) {
  if (counts_instructions_ && info.accesses != 0 && info.instructions != 0) {
    time_per_access_ = static_cast<double>(info.instructions) / static_cast<double>(info.accesses);
  }
}

result<void> replayed_thread::fetch_event() {
  if (!event_passed_ || events_ended_) return {};
  const result<const event*> next = events_->next();
  if (!next) return tl::unexpected(next.error());
  event_ = *next;
  event_passed_ = false;
  events_ended_ = event_ == nullptr;
  return {};
}

result<void> replayed_thread::fetch_accesses() {
  if (accesses_ended_) return {};
  if (filtered_) {
    if (used_ < records_.size()) return {};
    const result<std::span<const tlb_record>> next = accesses_->next_tlb();
    if (!next) return tl::unexpected(next.error());
    records_ = *next;
    accesses_ended_ = records_.empty();
  } else {
    if (used_ < block_.accesses.size()) return {};
    const result<block> next = accesses_->next();
    if (!next) return tl::unexpected(next.error());
    block_ = *next;
    accesses_ended_ = block_.accesses.empty();
  }
  used_ = 0;
  return {};
}

result<replayed_thread::kind> replayed_thread::peek() {
  if (!accesses_) {
    accesses_.emplace(trace_->accesses_of(id_));
    events_.emplace(trace_->events_of(id_));
  }
  if (result<void> r = fetch_event(); !r) return tl::unexpected(r.error());
  if (result<void> r = fetch_accesses(); !r) return tl::unexpected(r.error());
  if (accesses_ended_) return event_ != nullptr ? kind::event : kind::end;
  if (!filtered_) {
    return event_ != nullptr && event_->position <= position_ ? kind::event : kind::accesses;
  }
  const tlb_record& record = records_[used_];
  const bool flushed_at_end =
      event_ != nullptr && event_->kind == event_kind::thread_end && record.missed_page == no_page;
  const bool record_is_first =
      event_ == nullptr || record.position < event_->position || flushed_at_end;
  return record_is_first ? kind::tlb_records : kind::event;
}

void replayed_thread::pass_event() {
  if (filtered_) move_to(event_->position);
  event_passed_ = true;
}

std::span<const access> replayed_thread::take_accesses(std::uint64_t until) {
  std::uint64_t count = block_.accesses.size() - used_;
  if (event_ != nullptr) count = std::min(count, event_->position - position_);
  const std::uint64_t begin = time_in(block_, counts_instructions_, used_);
  const std::uint64_t budget = until > clock_ ? until - clock_ : 0;
  const std::uint64_t whole = time_in(block_, counts_instructions_, used_ + count) - begin;
  if (whole > budget) count = std::max<std::uint64_t>(1, budget * count / whole);
  const std::span<const access> taken = block_.accesses.subspan(used_, count);
  used_ += count;
  position_ += count;
  clock_ += time_in(block_, counts_instructions_, used_) - begin;
  return taken;
}

void replayed_thread::move_to(std::uint64_t position) {
  if (position <= position_) return;
  const auto time_of = [&](std::uint64_t at) {
    return static_cast<std::uint64_t>(static_cast<double>(at) * time_per_access_);
  };
  clock_ += time_of(position) - time_of(position_);
  position_ = position;
}

std::span<const tlb_record> replayed_thread::take_tlb_records(std::uint64_t until) {
  const std::size_t begin = used_;
  move_to(records_[begin].position);
  do {
    move_to(records_[used_].position);
    ++used_;
  } while (used_ < records_.size() && clock_ < until &&
           (event_ == nullptr || records_[used_].position < event_->position));
  return records_.subspan(begin, used_ - begin);
}

void replayed_thread::close() {
  accesses_.reset();
  events_.reset();
  block_ = {};
  records_ = {};
  event_ = nullptr;
}

}  // namespace numatch::trace
