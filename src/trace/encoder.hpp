// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/filter_tlb.hpp"
#include "trace/recorder.hpp"

// The hot path of recording, to be inlined into a front-end. Freestanding.
//
// A site is an instruction that accesses memory: (pc, size, read or write). Each site predicts
// which site comes next (the one that came last time) and its own next address (last address +
// stride). An access that both predictions meet only adds one to a counter; the others are written
// out (docs/trace-format.md has the grammar). One 64-bit store commits each access: bytes and
// number of accesses change together, so a program that is killed leaves nothing half written.

namespace numatch::trace {

struct site_tables;

struct site {
  std::uint64_t pc;
  std::uint64_t kind;     ///< bytes × 2 + (1 for a write)
  std::uint64_t address;  ///< predicted
  std::uint64_t stride;
  site* next;               ///< predicted successor
  std::uint64_t candidate;  ///< last unexpected distance; becomes the stride when it comes twice
};

/// What is buffered of one kind of chunk and not yet in the file.
struct open_chunk {
  std::uint64_t progress;  ///< low half: records, high half: bytes; changed by one store
  std::uint64_t first_stamp;
  std::uint64_t first_position;
};

constexpr std::uint32_t records_of(std::uint64_t progress) {
  return static_cast<std::uint32_t>(progress);
}
constexpr std::uint32_t bytes_of(std::uint64_t progress) {
  return static_cast<std::uint32_t>(progress >> 32);
}
constexpr std::uint64_t progress_of(std::uint64_t bytes, std::uint64_t records) {
  return bytes << 32 | records;
}

enum class thread_state : std::uint32_t { none = 0, live = 1, ended = 2 };

/// At least every so many accesses of a thread a stamp is taken.
inline constexpr std::uint32_t block_accesses = 4096;

/// Lies at the start of the thread's slot in the session's shared memory. Pointers are the observed
/// program's.
struct thread_recorder {
  // Used by every access.
  site* last;              ///< site of the previous access, or &pause
  open_chunk data;         ///< accesses, or TLB records of a filtered trace
  std::uint64_t filtered;  ///< 1: the TLB filters
  filter_tlb filter;
  std::uint64_t extra_lookups;  ///< more than one page in one access
  std::uint64_t instructions;   ///< since the thread's start

  // Used when a prediction fails and at block ends.
  site pause;    ///< its successor matches no access: the slow path comes next
  site nothing;  ///< that successor
  site* resume;  ///< what `last` was before the pause
  site_tables* tables;
  std::uint8_t* data_bytes;
  std::size_t data_limit;   ///< bytes of data_bytes that are backed by memory
  std::uint64_t position;   ///< accesses before the open chunk
  std::uint32_t run_start;  ///< accesses of the open chunk when the last token was written
  std::uint32_t busy;       ///< inside the slow path
  std::uint64_t block_stamp;
  std::uint64_t pause_instructions;  ///< count when the last block ended
  std::uint64_t block_instructions;  ///< what the start of the open block told of that count
  std::uint64_t chunk_instructions;  ///< count when the open chunk began

  // Used by events and at the ends.
  open_chunk events;
  std::uint8_t* event_bytes;
  recorder* owner;
  std::uint32_t id;
  std::uint32_t slot;
  std::uint32_t stopped;  ///< everything is ignored
  thread_state state;
};

/// Accesses (before any filter) that the thread has recorded.
inline std::uint64_t position_of(const thread_recorder* t) {
  return t->filtered ? t->filter.lookups() - t->extra_lookups
                     : t->position + records_of(t->data.progress);
}

// The slow paths, in recorder/. Not to be called by a front-end.
void encode_access(thread_recorder*, std::uint64_t pc, std::uint64_t address, std::uint64_t kind);
void pause_block(thread_recorder*);
void filter_slowly(thread_recorder*, std::uint64_t address, std::uint32_t bytes);

/// An access that touches several pages counts once for each of them.
inline void filter_access(thread_recorder* t, std::uint64_t address, std::uint32_t bytes) {
  if (bytes > filter_tlb::least_page_bytes || !t->filter.hit(address, bytes)) [[unlikely]]
    filter_slowly(t, address, bytes);
}

/// The access that both predictions of `expected`, the last site's successor, have met.
inline void record_expected(thread_recorder* t, site* expected) {
  expected->address += expected->stride;
  t->last = expected;
  if ((++t->data.progress & (block_accesses - 1)) == 0) [[unlikely]]
    pause_block(t);
}

/// Records one access of `bytes` ≥ 1 at `address` by the instruction at `pc`. Only the thread
/// itself may call it, never from a signal handler that may have interrupted it.
inline void record_access(thread_recorder* t, std::uint64_t pc, std::uint64_t address,
                          std::uint32_t bytes, bool write) {
  if (t->filtered) [[unlikely]] {
    filter_access(t, address, bytes);
    return;
  }
  const std::uint64_t kind = std::uint64_t{bytes} * 2 + write;
  site* const expected = t->last->next;
  if (expected->address == address && expected->pc == pc && expected->kind == kind) [[likely]] {
    record_expected(t, expected);
    return;
  }
  encode_access(t, pc, address, kind);
}

/// Adds `n` instructions retired by the thread.
inline void record_instructions(thread_recorder* t, std::uint64_t n) {
  t->instructions += n;
}

}  // namespace numatch::trace
