// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/chunk_file.hpp"
#include "trace/decoder.hpp"
#include "trace/reader.hpp"

// The inside of reader.hpp.

namespace numatch::trace {

/// An open trace file and its chunks.
struct open_file {
  open_file() = default;
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  open_file(open_file&& other) noexcept { *this = std::move(other); }
  open_file& operator=(open_file&& other) noexcept {
    std::swap(descriptor, other.descriptor);
    std::swap(path, other.path);
    std::swap(bytes, other.bytes);
    std::swap(chunks, other.chunks);
    std::swap(damaged_at, other.damaged_at);
    return *this;
  }
  ~open_file();

  int descriptor = -1;
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::vector<index_entry> chunks;
  std::uint64_t damaged_at = 0;  ///< after an error: the offset that it speaks of
};

/// A regular file that begins like a trace of a version that is known.
result<open_file> open_any_trace(const std::filesystem::path& path);
/// Trailer and index; every chunk header is compared with the index.
result<void> read_index(open_file& file);

/// The chunks of one kind of one thread, unpacked one after the other.
class chunk_sequence {
 public:
  chunk_sequence() = default;
  chunk_sequence(const open_file& file, std::span<const std::size_t> numbers)
      : file_(&file), numbers_(numbers) {}
  /// False at the end.
  result<bool> next();
  const std::filesystem::path& path() const { return file_->path; }
  /// False before the first next().
  bool has_current() const { return at_ != 0; }
  const index_entry& entry() const { return file_->chunks[numbers_[at_ - 1]]; }
  const chunk_header& header() const { return entry().header; }
  std::span<const std::uint8_t> raw() const { return raw_; }
  /// An error that names the current chunk.
  tl::unexpected<error> damaged(std::string what) const;

 private:
  const open_file* file_ = nullptr;
  std::span<const std::size_t> numbers_;
  std::size_t at_ = 0;
  byte_buffer raw_;
};

class event_sequence {
 public:
  event_sequence() = default;
  explicit event_sequence(chunk_sequence chunks) : chunks_(std::move(chunks)) {}
  result<const event*> next();
  const chunk_sequence& chunks() const { return chunks_; }

 private:
  chunk_sequence chunks_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::uint64_t left_ = 0;  ///< events of the chunk that were not handed out yet
  event event_;
};

result<std::span<const tlb_record>> tlb_records_of(const chunk_sequence& chunks);

struct reader::state {
  open_file file;
  trace_metadata metadata;
  std::vector<thread_info> threads;
  std::map<std::pair<std::uint32_t, chunk_kind>, std::vector<std::size_t>> by_thread;

  std::span<const std::size_t> chunks_of(thread_id thread, chunk_kind kind) const {
    const auto found = by_thread.find({thread.value, kind});
    return found == by_thread.end() ? std::span<const std::size_t>{} : found->second;
  }
};

struct access_cursor::state {
  chunk_sequence chunks;
  decoder unpacked;
  std::uint64_t position = 0;
};

struct event_cursor::state {
  event_sequence events;
};

/// Reads the metadata and fills `by_thread`.
result<void> sort_chunks(reader::state& s);
/// Fills `threads` from the chunk headers.
void list_threads(reader::state& s);
/// Adds what the events say about each thread.
result<void> read_thread_events(reader::state& s);

}  // namespace numatch::trace
