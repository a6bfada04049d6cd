// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/reader.hpp"

#include <utility>

#include "trace/reader_state.hpp"

namespace numatch::trace {

reader::reader(std::unique_ptr<state> s) : state_(std::move(s)) {}
reader::reader(reader&&) noexcept = default;
reader& reader::operator=(reader&&) noexcept = default;
reader::~reader() = default;

result<reader> reader::open(const std::filesystem::path& path) {
  std::unique_ptr<state> s = std::make_unique<state>();
  result<open_file> file = open_any_trace(path);
  if (!file) return tl::unexpected(file.error());
  s->file = std::move(*file);
  if (result<void> r = read_index(s->file); !r) return tl::unexpected(r.error());
  if (result<void> r = sort_chunks(*s); !r) return tl::unexpected(r.error());
  list_threads(*s);
  if (result<void> r = read_thread_events(*s); !r) return tl::unexpected(r.error());
  return reader(std::move(s));
}

const std::filesystem::path& reader::path() const {
  return state_->file.path;
}
const trace_metadata& reader::metadata() const {
  return state_->metadata;
}
std::uint64_t reader::file_bytes() const {
  return state_->file.bytes;
}
std::span<const thread_info> reader::threads() const {
  return state_->threads;
}
std::span<const index_entry> reader::chunks() const {
  return state_->file.chunks;
}
std::uint64_t reader::accesses() const {
  std::uint64_t sum = 0;
  for (const thread_info& thread : state_->threads) sum += thread.accesses;
  return sum;
}
std::uint64_t reader::instructions() const {
  std::uint64_t sum = 0;
  for (const thread_info& thread : state_->threads) sum += thread.instructions;
  return sum;
}
bool reader::tlb_filtered() const {
  return state_->metadata.filter != "none";
}

access_cursor reader::accesses_of(thread_id thread) const {
  std::unique_ptr<access_cursor::state> s = std::make_unique<access_cursor::state>();
  const chunk_kind kind = tlb_filtered() ? chunk_kind::tlb : chunk_kind::accesses;
  s->chunks = chunk_sequence(state_->file, state_->chunks_of(thread, kind));
  return access_cursor(std::move(s));
}

event_cursor reader::events_of(thread_id thread) const {
  std::unique_ptr<event_cursor::state> s = std::make_unique<event_cursor::state>();
  s->events =
      event_sequence(chunk_sequence(state_->file, state_->chunks_of(thread, chunk_kind::events)));
  return event_cursor(std::move(s));
}

access_cursor::access_cursor(std::unique_ptr<state> s) : state_(std::move(s)) {}
access_cursor::access_cursor(access_cursor&&) noexcept = default;
access_cursor& access_cursor::operator=(access_cursor&&) noexcept = default;
access_cursor::~access_cursor() = default;

result<block> access_cursor::next() {
  state& s = *state_;
  for (;;) {
    block found;
    found.accesses = s.unpacked.next();
    if (s.unpacked.damage() != nullptr) return s.chunks.damaged(s.unpacked.damage());
    if (!found.accesses.empty()) {
      found.first_position = s.position;
      found.stamp = s.unpacked.stamp();
      found.instructions = s.unpacked.instructions();
      s.position += found.accesses.size();
      return found;
    }
    const result<bool> more = s.chunks.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return block{s.position, 0, 0, {}};
    s.unpacked.start(s.chunks.header(), s.chunks.raw());
  }
}

result<std::span<const tlb_record>> access_cursor::next_tlb() {
  for (;;) {
    const result<bool> more = state_->chunks.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return std::span<const tlb_record>{};
    result<std::span<const tlb_record>> records = tlb_records_of(state_->chunks);
    if (!records || !records->empty()) return records;
  }
}

event_cursor::event_cursor(std::unique_ptr<state> s) : state_(std::move(s)) {}
event_cursor::event_cursor(event_cursor&&) noexcept = default;
event_cursor& event_cursor::operator=(event_cursor&&) noexcept = default;
event_cursor::~event_cursor() = default;

result<const event*> event_cursor::next() {
  return state_->events.next();
}

}  // namespace numatch::trace
