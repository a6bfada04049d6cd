// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trace/filter_tlb.hpp"

// What numatch and the recorder inside the observed program share: one header and one slot per live
// thread in a sparse file that both map. Freestanding. Both sides come from the same build.

namespace numatch::trace {

inline constexpr char session_magic[8] = {'N', 'U', 'M', 'A', 'S', 'H', 'M', '\n'};
inline constexpr std::uint32_t session_version = 1;

inline constexpr std::uint32_t max_live_threads = 8192;
inline constexpr std::size_t session_header_bytes = 64 << 10;
inline constexpr std::size_t recorder_bytes = 4 << 10;  ///< a thread_recorder begins the slot
inline constexpr std::size_t event_capacity = 32 << 10;
inline constexpr std::uint32_t max_filter_entries = 4096;
inline constexpr std::size_t tlb_capacity =
    filter_tlb::storage_bytes(max_filter_entries, 1);  ///< one way takes most
inline constexpr std::size_t data_capacity = 256 << 10;
inline constexpr std::size_t events_at = recorder_bytes;
inline constexpr std::size_t tlb_at = events_at + event_capacity;
inline constexpr std::size_t data_at = tlb_at + tlb_capacity;
inline constexpr std::size_t slot_bytes = data_at + data_capacity;

constexpr std::size_t slot_offset(std::uint32_t slot) {
  return session_header_bytes + slot * slot_bytes;
}
inline constexpr std::size_t session_bytes = slot_offset(max_live_threads);

/// Why recording stopped before the program's end.
enum class session_problem : std::uint32_t {
  none = 0,
  trace_write = 1,       ///< the trace file could not be written
  shared_memory = 2,     ///< no space left for another thread's buffers
  too_many_threads = 3,  ///< more than max_live_threads at once
};

struct session_memory {
  char magic[8];
  std::uint32_t version;
  std::uint32_t filter_entries;  ///< 0: every access is recorded
  std::uint32_t filter_ways;
  std::uint32_t page_shift;
  char trace_path[4096];

  /// Gives every block and every event its place in the order of the whole program. Stamps start
  /// at 1.
  alignas(64) std::atomic<std::uint64_t> next_stamp;
  /// Where the next finished chunk goes; chunks and accesses count those that are wholly written.
  alignas(64) std::atomic<std::uint64_t> file_end;
  std::atomic<std::uint64_t> chunks;
  std::atomic<std::uint64_t> accesses;
  alignas(64) std::atomic<std::uint32_t> next_thread;
  std::atomic<std::uint32_t> joined;   ///< 1 once a recorder has joined; there is only one
  std::atomic<std::uint32_t> stopped;  ///< 1: nothing more is recorded
  std::atomic<std::uint32_t> problem;  ///< a session_problem
  std::atomic<std::int32_t> problem_errno;
  alignas(64) std::atomic<std::uint32_t> slot_taken[max_live_threads];
};
static_assert(sizeof(session_memory) <= session_header_bytes);
static_assert(slot_bytes % 4096 == 0);  // each is mapped by itself
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// What the filter of one thread takes of its slot.
inline std::size_t filter_bytes(const session_memory& session) {
  return session.filter_entries == 0
             ? 0
             : filter_tlb::storage_bytes(session.filter_entries / session.filter_ways,
                                         session.filter_ways);
}
/// A thread's filter, whose storage is at `storage`. Only where the session filters.
inline filter_tlb filter_in(void* storage, const session_memory& session) {
  return {storage, session.filter_entries / session.filter_ways, session.filter_ways,
          session.page_shift};
}

}  // namespace numatch::trace
