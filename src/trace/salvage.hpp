// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "trace/format.hpp"
#include "trace/session_memory.hpp"

// After the observed program has ended: which chunks it wrote, and what it still held.

namespace numatch::trace {

/// An unfinished trace file.
struct unfinished_file {
  int descriptor = -1;
  std::filesystem::path path;
  std::vector<index_entry> chunks;
  std::uint64_t end = 0;  ///< offset behind the last chunk
};

/// Finds the chunks of `file`. A program that is killed while it writes leaves a gap or half a
/// chunk: then every chunk is checked and the good ones are moved together. Nothing is lost by
/// this, because a thread drops its buffer only when the chunk is wholly written.
result<void> collect_chunks(unfinished_file& file, std::uint64_t file_end,
                            std::uint64_t whole_chunks);

/// Appends what the threads' slots still hold, and thread_end where a thread was stopped by the
/// program's end. `session_file` is the descriptor of the shared memory.
result<void> save_slots(unfinished_file& file, session_memory& session, int session_file);

/// Appends one chunk and its index entry.
result<void> append_to(unfinished_file& file, chunk_header header,
                       std::span<const std::uint8_t> raw);

/// Appends index and trailer and cuts off whatever lies behind them.
result<void> append_end(unfinished_file& file);

}  // namespace numatch::trace
