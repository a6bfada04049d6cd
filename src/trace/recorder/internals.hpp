// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "trace/encoder.hpp"
#include "trace/session_memory.hpp"

// What the files of the recorder share.

namespace numatch::trace {

inline constexpr std::uint32_t max_sites = 8192;  ///< of one chunk; then the chunk ends

/// A thread's sites of the open chunk and a hash index over them. `generation` makes every older
/// index entry void, so that a new chunk starts with an empty index at no cost.
struct site_tables {
  struct entry {
    std::uint32_t generation;
    std::uint32_t number;
  };
  std::uint32_t generation;
  std::uint32_t count;
  site root;  ///< stands before the first access of a chunk
  entry index[2 * max_sites];
  site sites[max_sites];
};

/// zstd's; 2 takes 5 % less space than 1 and still writes well over 100 M accesses per second.
inline constexpr int compression_level = 2;
inline constexpr unsigned compressor_count = 16;
inline constexpr std::size_t output_bytes = data_capacity + sizeof(chunk_header);

/// Shared by all threads, so that thousands of threads need no compressor each.
struct compressor {
  std::atomic<std::uint32_t> taken;
  void* workspace;
  std::uint8_t* output;  ///< chunk header and stored bytes
};

struct recorder {
  session_memory* session;
  const std::uint32_t* alive;  ///< 1; the kernel makes it 0 in a forked child
  std::atomic<int> trace_descriptor;
  dev_t trace_device;
  ino_t trace_inode;
  std::size_t workspace_bytes;
  char session_path[4096];
  thread_recorder* slots[max_live_threads];  ///< mapped here, whether taken or not
  compressor compressors[compressor_count];
};

/// False in a forked child, where nothing of the session may be touched.
inline bool is_ours(const recorder* r) {
  return *r->alive != 0;
}

inline std::uint64_t take_stamp(session_memory* session) {
  return session->next_stamp.fetch_add(1, std::memory_order_seq_cst);
}
inline bool has_stopped(const session_memory* session) {
  return session->stopped.load(std::memory_order_relaxed) != 0;
}
/// The first problem is kept.
void stop_recording(session_memory*, session_problem, int error_number);

inline void commit(open_chunk& chunk, std::uint64_t progress) {
  __atomic_store_n(&chunk.progress, progress, __ATOMIC_RELEASE);
}

/// Makes a thread_recorder ignore everything.
void silence(thread_recorder*);
/// Forgets all sites: a chunk begins.
void reset_encoder(thread_recorder*);

/// Compresses and appends one chunk to the trace; false when recording has stopped.
bool write_chunk(recorder*, chunk_header header, const std::uint8_t* bytes);
/// Writes the open chunk of accesses or TLB records, if there is anything in it, and begins anew.
bool flush_data(thread_recorder*);
bool flush_events(thread_recorder*);
/// Backs more of the data buffer with memory; false when there is none.
bool grow_data(thread_recorder*);

/// Plain loop: a call of memcpy could be a wrapped one.
inline void copy_bytes(std::uint8_t* to, const void* from, std::size_t count) {
  const std::uint8_t* source = static_cast<const std::uint8_t*>(from);
  for (std::size_t i = 0; i < count; ++i) to[i] = source[i];
}

}  // namespace numatch::trace
