// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/check_thread.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace numatch::trace {

namespace {

constexpr event_kind known_kinds[] = {
    event_kind::thread_start, event_kind::thread_end,    event_kind::thread_name,
    event_kind::release,      event_kind::acquire,       event_kind::map,
    event_kind::unmap,        event_kind::remap,         event_kind::heap_end,
    event_kind::protect,      event_kind::advise,        event_kind::module,
    event_kind::stack,        event_kind::allocate,      event_kind::free,
    event_kind::bind_memory,  event_kind::memory_policy, event_kind::move_pages,
    event_kind::affinity,     event_kind::region_begin,  event_kind::region_end,
    event_kind::roi_begin,    event_kind::roi_end,       event_kind::label,
    event_kind::place,        event_kind::run_on,
};

bool is_known(event_kind kind) {
  return std::find(std::begin(known_kinds), std::end(known_kinds), kind) != std::end(known_kinds);
}

}  // namespace

thread_check::thread_check(const reader::state& trace, const thread_info& thread)
    : who_(fmt::format("thread {}", thread.id.value)),
      filtered_(trace.metadata.filter != "none"),
      data_(trace.file,
            trace.chunks_of(thread.id, filtered_ ? chunk_kind::tlb : chunk_kind::accesses)),
      events_(chunk_sequence(trace.file, trace.chunks_of(thread.id, chunk_kind::events))) {}

std::optional<check_report::broken_invariant> thread_check::run() {
  if (fetch_event() && (filtered_ ? check_tlb_records() : check_accesses()) &&
      check_events_before(~std::uint64_t{0}) && !ended_) {
    broken(events_.chunks(), "has no thread_end");
  }
  return std::move(broken_);
}

bool thread_check::broken(const chunk_sequence& chunks, std::string what) {
  const std::uint64_t offset = chunks.has_current() ? chunks.entry().offset : 0;
  const std::string where =
      chunks.has_current() ? chunk_place(chunks.path(), offset) : chunks.path().string();
  broken_ = {offset, {who_ + " " + std::move(what), where, ""}};
  return false;
}

bool thread_check::broken(const chunk_sequence& chunks, error e) {
  broken_ = {chunks.entry().offset, std::move(e)};
  return false;
}

bool thread_check::fetch_event() {
  const result<const event*> next = events_.next();
  if (!next) return broken(events_.chunks(), next.error());
  next_event_ = *next;
  return true;
}

bool thread_check::check_stamp(const chunk_sequence& chunks, std::uint64_t stamp,
                               std::uint64_t& last) {
  if (stamp <= last) {
    return broken(chunks, fmt::format("has stamp {} behind stamp {}", stamp, last));
  }
  last = stamp;
  stamps_.push_back({stamp, chunks.entry().offset});
  return true;
}

bool thread_check::check_events_before(std::uint64_t position) {
  while (next_event_ != nullptr && next_event_->position <= position) {
    if (!check_event(*next_event_) || !fetch_event()) return false;
  }
  return true;
}

bool thread_check::check_event(const event& happened) {
  const chunk_sequence& chunks = events_.chunks();
  ++events_seen_;
  if (!is_known(happened.kind)) {
    return broken(chunks, fmt::format("has an event of unknown kind {}",
                                      static_cast<unsigned>(happened.kind)));
  }
  if (!filtered_ && happened.position != position_) {
    return broken(chunks, fmt::format("has an event at position {}, it has {} accesses then",
                                      happened.position, position_));
  }
  if (happened.position < event_position_) {
    return broken(chunks, fmt::format("goes back from position {} to {}", event_position_,
                                      happened.position));
  }
  event_position_ = happened.position;
  if ((events_seen_ == 1) != (happened.kind == event_kind::thread_start)) {
    return broken(chunks, events_seen_ == 1 ? "does not begin with thread_start" : "starts twice");
  }
  if (ended_) return broken(chunks, "has an event behind its thread_end");
  ended_ = happened.kind == event_kind::thread_end;
  return check_stamp(chunks, happened.stamp, last_stamp_) && note_heap_call(happened) &&
         check_regions(happened);
}

bool thread_check::note_heap_call(const event& happened) {
  const bool is_allocation = happened.kind == event_kind::allocate;
  if (is_allocation || happened.kind == event_kind::free) {
    heap_calls_.push_back({happened.stamp, happened.args[0], is_allocation});
  }
  return true;
}

bool thread_check::check_regions(const event& happened) {
  const chunk_sequence& chunks = events_.chunks();
  if (happened.kind == event_kind::region_begin) regions_.emplace_back(happened.text);
  if (happened.kind == event_kind::roi_begin) ++rois_open_;
  if (happened.kind == event_kind::roi_end && rois_open_ != 0) --rois_open_;
  if (happened.kind != event_kind::region_end) return true;
  if (regions_.empty()) {
    return broken(chunks, fmt::format("ends region '{}' that it did not begin", happened.text));
  }
  if (regions_.back() != happened.text) {
    return broken(
        chunks, fmt::format("ends region '{}' inside region '{}'", happened.text, regions_.back()));
  }
  regions_.pop_back();
  return true;
}

bool thread_check::check_accesses() {
  for (;;) {
    const result<bool> more = data_.next();
    if (!more) return broken(data_, more.error());
    if (!*more) return true;
    const chunk_header& header = data_.header();
    if (header.first_position != position_) {
      return broken(data_, fmt::format("continues at position {} instead of {}",
                                       header.first_position, position_));
    }
    unpacked_.start(header, data_.raw());
    if (!check_blocks()) return false;
  }
}

bool thread_check::check_blocks() {
  for (;;) {
    const std::size_t count = unpacked_.next().size();
    if (unpacked_.damage() != nullptr) {
      return broken(data_, fmt::format("has damaged accesses: {}", unpacked_.damage()));
    }
    if (count == 0) return true;
    if (!check_events_before(position_) || !check_stamp(data_, unpacked_.stamp(), last_stamp_)) {
      return false;
    }
    position_ += count;
    accesses_ += count;
    if (next_event_ != nullptr && next_event_->position < position_) {
      return broken(events_.chunks(), fmt::format("has an event at position {} inside a block",
                                                  next_event_->position));
    }
  }
}

bool thread_check::check_tlb_records() {
  std::uint64_t last_chunk_stamp = 0;
  for (;;) {
    const result<bool> more = data_.next();
    if (!more) return broken(data_, more.error());
    if (!*more) return true;
    const result<std::span<const tlb_record>> records = tlb_records_of(data_);
    if (!records) return broken(data_, records.error());
    if (!check_stamp(data_, data_.header().first_stamp, last_chunk_stamp)) return false;
    for (const tlb_record& record : *records) {
      if (record.position < position_) {
        return broken(data_,
                      fmt::format("goes back from position {} to {}", position_, record.position));
      }
      position_ = record.position;
    }
    accesses_ += records->size();
  }
}

}  // namespace numatch::trace
