// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "trace/event.hpp"
#include "trace/format.hpp"

namespace numatch::trace {

/// An event as a reader hands it out; `text` lives until the next call on the same cursor.
struct event {
  event_kind kind{};
  std::uint64_t position = 0;
  std::uint64_t stamp = 0;
  std::uint64_t args[max_event_args] = {};
  std::string_view text;
};

/// A piece of one thread's accesses that ran without another stamp being taken by its thread.
/// `instructions` of them were retired by the thread in this piece (0 when not counted).
struct block {
  std::uint64_t first_position = 0;
  std::uint64_t stamp = 0;
  std::uint64_t instructions = 0;
  std::span<const access> accesses;  ///< until the next call on the same cursor
};

struct thread_info {
  thread_id id;
  std::uint32_t os_tid = 0;
  std::string name;
  std::uint64_t first_stamp = 0;
  std::uint64_t last_stamp = 0;
  std::uint64_t accesses = 0;
  std::uint64_t instructions = 0;
  std::uint64_t events = 0;
};

/// The metadata chunk.
struct trace_metadata {
  std::string frontend;              ///< "qemu", "instrumented", "import:lackey", ...
  std::vector<std::string> command;  ///< argv
  std::string filter;                ///< "none" or "tlb:entries=64,ways=4,page=4096"
  bool counts_instructions = false;
  std::map<std::string, std::string> extra;  ///< start time, exit code, interrupted, host facts
};

/// Reads one thread's accesses or TLB records block by block. Memory: one decoded chunk.
class access_cursor;
/// Reads one thread's events in order. Memory: one decoded chunk.
class event_cursor;

/// An open trace. open() checks header, trailer, index and that every chunk lies where the index
/// says; cursors check the CRC of each chunk before its bytes are used. Any damage is an error that
/// names the file and the chunk's offset. Cursors share the reader read-only: use them from several
/// threads.
class reader {
 public:
  static result<reader> open(const std::filesystem::path& path);
  reader(reader&&) noexcept;
  reader& operator=(reader&&) noexcept;
  ~reader();

  const std::filesystem::path& path() const;
  const trace_metadata& metadata() const;
  std::uint64_t file_bytes() const;
  std::span<const thread_info> threads() const;
  std::span<const index_entry> chunks() const;
  std::uint64_t accesses() const;
  std::uint64_t instructions() const;
  /// True when the access stream was filtered by a TLB while recording: only tlb records exist.
  bool tlb_filtered() const;

  access_cursor accesses_of(thread_id thread) const;
  event_cursor events_of(thread_id thread) const;
  /// All TLB records of a thread are read the same way as accesses (see access_cursor::next_tlb).
  struct state;

 private:
  explicit reader(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

class access_cursor {
 public:
  access_cursor(access_cursor&&) noexcept;
  access_cursor& operator=(access_cursor&&) noexcept;
  ~access_cursor();
  /// The next block, or an empty one (accesses.empty() && first_position == accesses of the thread)
  /// at the end.
  result<block> next();
  /// The next chunk of TLB records of a filtered trace; empty at the end.
  result<std::span<const tlb_record>> next_tlb();
  struct state;

 private:
  friend class reader;
  explicit access_cursor(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

class event_cursor {
 public:
  event_cursor(event_cursor&&) noexcept;
  event_cursor& operator=(event_cursor&&) noexcept;
  ~event_cursor();
  /// The next event, or null at the end; valid until the next call.
  result<const event*> next();
  struct state;

 private:
  friend class reader;
  explicit event_cursor(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

}  // namespace numatch::trace
