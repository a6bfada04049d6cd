// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <algorithm>
#include <cstring>

#include "trace/metadata.hpp"
#include "trace/reader_state.hpp"

namespace numatch::trace {

namespace {
constexpr const char* capture_again = "the trace is damaged; capture it again";
}

tl::unexpected<error> chunk_sequence::damaged(std::string what) const {
  return fail(chunk_place(file_->path, entry().offset), std::move(what), capture_again);
}

result<bool> chunk_sequence::next() {
  if (at_ == numbers_.size()) return false;
  const index_entry& found = file_->chunks[numbers_[at_++]];
  byte_buffer stored;
  result<void> read =
      read_chunk(file_->descriptor, file_->path, found.offset, found.header, stored, raw_);
  if (!read) return tl::unexpected(read.error());
  return true;
}

result<const event*> event_sequence::next() {
  while (at_ == size_) {
    if (left_ != 0) return chunks_.damaged("has fewer events than it says");
    const result<bool> more = chunks_.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return nullptr;
    at_ = 0;
    size_ = chunks_.raw().size();
    left_ = chunks_.header().records;
  }
  event_header header{};
  const std::uint8_t* const from = chunks_.raw().data() + at_;
  if (left_ == 0) return chunks_.damaged("has more events than it says");
  if (size_ - at_ < sizeof header) return chunks_.damaged("ends inside an event");
  std::memcpy(&header, from, sizeof header);
  const std::uint64_t needed = sizeof header + 8U * header.args + std::uint64_t{header.text_bytes};
  if (header.args > max_event_args || header.bytes > size_ - at_ || header.bytes % 8 != 0 ||
      needed > header.bytes) {
    return chunks_.damaged("has an event of impossible size");
  }
  event_ = event{};
  event_.kind = static_cast<event_kind>(header.kind);
  event_.position = header.position;
  event_.stamp = header.stamp;
  std::memcpy(event_.args, from + sizeof header, 8U * header.args);
  event_.text = {reinterpret_cast<const char*>(from) + sizeof header + 8U * header.args,
                 header.text_bytes};
  at_ += header.bytes;
  --left_;
  return &event_;
}

result<std::span<const tlb_record>> tlb_records_of(const chunk_sequence& chunks) {
  const std::span<const std::uint8_t> raw = chunks.raw();
  if (raw.size() != chunks.header().records * sizeof(tlb_record)) {
    return chunks.damaged("has a size that is not that of its records");
  }
  return std::span<const tlb_record>(reinterpret_cast<const tlb_record*>(raw.data()),
                                     chunks.header().records);
}

namespace {

result<void> read_metadata(reader::state& s, std::size_t number) {
  const std::vector<std::size_t> one{number};
  chunk_sequence chunks(s.file, one);
  const result<bool> read = chunks.next();
  if (!read) return tl::unexpected(read.error());
  const std::string_view text(reinterpret_cast<const char*>(chunks.raw().data()),
                              chunks.raw().size());
  result<trace_metadata> metadata =
      metadata_from_json(text, chunk_place(s.file.path, chunks.entry().offset));
  if (!metadata) return tl::unexpected(metadata.error());
  s.metadata = std::move(*metadata);
  return {};
}

}  // namespace

result<void> sort_chunks(reader::state& s) {
  std::size_t metadata_chunks = 0;
  for (std::size_t number = 0; number < s.file.chunks.size(); ++number) {
    const index_entry& entry = s.file.chunks[number];
    const chunk_kind kind = static_cast<chunk_kind>(entry.header.kind);
    s.file.damaged_at = entry.offset;
    if (kind == chunk_kind::metadata) {
      ++metadata_chunks;
      if (result<void> r = read_metadata(s, number); !r) return r;
    } else if (kind == chunk_kind::index) {
      return fail(chunk_place(s.file.path, entry.offset), "is a second index", capture_again);
    } else {
      s.by_thread[{entry.header.thread, kind}].push_back(number);
    }
  }
  if (metadata_chunks != 1) {
    return fail(s.file.path.string(),
                fmt::format("has {} metadata chunks instead of one", metadata_chunks),
                capture_again);
  }
  return {};
}

namespace {

thread_info& thread_of(reader::state& s, std::uint32_t id) {
  const auto place = std::lower_bound(
      s.threads.begin(), s.threads.end(), id,
      [](const thread_info& known, std::uint32_t wanted) { return known.id.value < wanted; });
  if (place != s.threads.end() && place->id.value == id) return *place;
  thread_info added;
  added.id = thread_id(id);
  return *s.threads.insert(place, added);
}

/// Events say who a thread is; a filtered thread's number of accesses is known from them only.
result<void> read_events_of(reader::state& s, thread_info& thread) {
  event_sequence events(chunk_sequence(s.file, s.chunks_of(thread.id, chunk_kind::events)));
  for (;;) {
    const result<const event*> next = events.next();
    if (!next) return tl::unexpected(next.error());
    if (*next == nullptr) return {};
    const event& happened = **next;
    ++thread.events;
    if (thread.first_stamp == 0) thread.first_stamp = happened.stamp;
    thread.first_stamp = std::min(thread.first_stamp, happened.stamp);
    thread.last_stamp = std::max(thread.last_stamp, happened.stamp);
    if (happened.kind == event_kind::thread_start) {
      thread.os_tid = static_cast<std::uint32_t>(happened.args[0]);
    }
    if (happened.kind == event_kind::thread_name) thread.name = happened.text;
    if (s.metadata.filter != "none") {
      thread.accesses = std::max(thread.accesses, happened.position);
    }
  }
}

}  // namespace

void list_threads(reader::state& s) {
  for (const auto& [key, numbers] : s.by_thread) {
    thread_info& thread = thread_of(s, key.first);
    for (const std::size_t number : numbers) {
      const chunk_header& header = s.file.chunks[number].header;
      thread.instructions += header.instructions;
      if (key.second == chunk_kind::accesses) thread.accesses += header.records;
      if (thread.first_stamp == 0) thread.first_stamp = header.first_stamp;
      thread.first_stamp = std::min(thread.first_stamp, header.first_stamp);
      thread.last_stamp = std::max(thread.last_stamp, header.first_stamp);
    }
  }
}

result<void> read_thread_events(reader::state& s) {
  for (thread_info& thread : s.threads) {
    if (result<void> r = read_events_of(s, thread); !r) return r;
  }
  return {};
}

}  // namespace numatch::trace
