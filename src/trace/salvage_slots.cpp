// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "trace/chunk_file.hpp"
#include "trace/encoder.hpp"
#include "trace/salvage.hpp"

namespace numatch::trace {

namespace {

/// What the file already has of a thread.
struct written_part {
  std::uint64_t accesses = 0;
  std::uint64_t instructions = 0;
  std::uint64_t data_stamp = 0;   ///< of the last chunk of accesses or TLB records
  std::uint64_t event_stamp = 0;  ///< of the last chunk of events
};

std::map<std::uint32_t, written_part> parts_of(const unfinished_file& file) {
  std::map<std::uint32_t, written_part> parts;
  for (const index_entry& entry : file.chunks) {
    written_part& part = parts[entry.header.thread];
    part.instructions += entry.header.instructions;
    if (entry.header.kind == static_cast<std::uint16_t>(chunk_kind::events)) {
      part.event_stamp = entry.header.first_stamp;
    } else {
      part.data_stamp = entry.header.first_stamp;
      if (entry.header.kind == static_cast<std::uint16_t>(chunk_kind::accesses)) {
        part.accesses += entry.header.records;
      }
    }
  }
  return parts;
}

/// One mapped slot. The thread that filled it is dead; its pointers mean nothing here.
class dead_slot {
 public:
  dead_slot(int session_file, std::uint32_t slot)
      : memory_(::mmap(nullptr, slot_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, session_file,
                       static_cast<off_t>(slot_offset(slot)))) {}
  dead_slot(const dead_slot&) = delete;
  dead_slot& operator=(const dead_slot&) = delete;
  ~dead_slot() {
    if (is_mapped()) ::munmap(memory_, slot_bytes);
  }
  bool is_mapped() const { return memory_ != MAP_FAILED; }
  const thread_recorder& thread() const { return *static_cast<const thread_recorder*>(memory_); }
  std::uint8_t* at(std::size_t offset) const {
    return static_cast<std::uint8_t*>(memory_) + offset;
  }

 private:
  void* memory_;
};

chunk_header header_of(const thread_recorder& t, chunk_kind kind, const open_chunk& open) {
  chunk_header header{};
  header.kind = static_cast<std::uint16_t>(kind);
  header.thread = t.id;
  header.first_stamp = open.first_stamp;
  header.first_position = open.first_position;
  header.records = records_of(open.progress);
  return header;
}

void append_tlb_record(byte_buffer& raw, const tlb_record& record) {
  const std::uint8_t* from = reinterpret_cast<const std::uint8_t*>(&record);
  raw.insert(raw.end(), from, from + sizeof record);
}

/// What is still in the thread's TLB, as end_thread() would have written it.
std::uint64_t append_filter(byte_buffer& raw, const session_memory& session,
                            const dead_slot& slot) {
  const filter_tlb filter = filter_in(slot.at(tlb_at), session);
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < filter.entry_count(); ++i) {
    const tlb_entry entry = filter.entry(i);
    if (entry.page == ~std::uint64_t{0}) continue;
    append_tlb_record(raw,
                      {position_of(&slot.thread()), ~std::uint64_t{0}, entry.page, entry.accesses});
    ++count;
  }
  return count;
}

/// The open chunk of accesses or TLB records.
result<void> save_data(unfinished_file& file, session_memory& session, const dead_slot& slot,
                       written_part& part) {
  const thread_recorder& t = slot.thread();
  const bool is_written = t.data.progress != 0 && t.data.first_stamp == part.data_stamp;
  const open_chunk open = is_written ? open_chunk{} : t.data;
  const std::size_t count = bytes_of(open.progress);
  if (count > data_capacity) return {};
  byte_buffer raw(slot.at(data_at), slot.at(data_at) + count);
  chunk_header header =
      header_of(t, t.filtered != 0 ? chunk_kind::tlb : chunk_kind::accesses, open);
  if (t.filtered == 0) header.first_position = part.accesses;
  if (t.filtered != 0 && t.state == thread_state::live) {
    header.records += append_filter(raw, session, slot);
    if (count == 0) header.first_position = position_of(&t);
  }
  header.instructions = t.instructions - part.instructions;
  if (raw.empty() && header.instructions == 0) return {};
  if (count == 0) header.first_stamp = session.next_stamp.fetch_add(1);
  if (t.filtered == 0) part.accesses += header.records;
  return append_to(file, header, raw);
}

bool ends_with_thread_end(const byte_buffer& raw) {
  event_header header{};
  for (std::size_t at = 0; at + sizeof header <= raw.size(); at += header.bytes) {
    std::memcpy(&header, raw.data() + at, sizeof header);
    if (header.bytes < sizeof header) return false;
  }
  return header.kind == static_cast<std::uint16_t>(event_kind::thread_end);
}

/// The open chunk of events, with thread_end.
result<void> save_events(unfinished_file& file, session_memory& session, const dead_slot& slot,
                         const written_part& part) {
  const thread_recorder& t = slot.thread();
  const bool is_written = t.events.progress != 0 && t.events.first_stamp == part.event_stamp;
  const open_chunk open = is_written ? open_chunk{} : t.events;
  const std::size_t count = bytes_of(open.progress);
  if (count > event_capacity || (count == 0 && part.event_stamp == 0)) return {};
  byte_buffer raw(slot.at(events_at), slot.at(events_at) + count);
  chunk_header header = header_of(t, chunk_kind::events, open);
  if (t.state == thread_state::live && !ends_with_thread_end(raw)) {
    event_header end{};
    end.bytes = sizeof end;
    end.kind = static_cast<std::uint16_t>(event_kind::thread_end);
    end.position = t.filtered != 0 ? position_of(&t) : part.accesses;
    end.stamp = session.next_stamp.fetch_add(1);
    const std::uint8_t* from = reinterpret_cast<const std::uint8_t*>(&end);
    raw.insert(raw.end(), from, from + sizeof end);
    if (count == 0) {
      header.first_stamp = end.stamp;
      header.first_position = end.position;
    }
    ++header.records;
  }
  return raw.empty() ? result<void>{} : append_to(file, header, raw);
}

}  // namespace

result<void> save_slots(unfinished_file& file, session_memory& session, int session_file) {
  std::map<std::uint32_t, written_part> parts = parts_of(file);
  for (std::uint32_t number = 0; number < max_live_threads; ++number) {
    if (session.slot_taken[number] == 0) continue;
    const dead_slot slot(session_file, number);
    if (!slot.is_mapped()) return fail(file.path.string(), std::strerror(errno));
    const thread_recorder& t = slot.thread();
    const bool is_new = t.events.progress == 0 && !parts.contains(t.id);
    if (t.state == thread_state::none || is_new) continue;
    written_part& part = parts[t.id];
    if (result<void> saved = save_data(file, session, slot, part); !saved) return saved;
    if (result<void> saved = save_events(file, session, slot, part); !saved) return saved;
  }
  return {};
}

}  // namespace numatch::trace
