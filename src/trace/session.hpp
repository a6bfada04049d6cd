// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "trace/reader.hpp"

namespace numatch::trace {

/// The TLB that filters while recording; entries == 0 records every access.
struct filter_options {
  std::uint32_t entries = 0;
  std::uint32_t ways = 4;
  std::uint32_t page_bytes = 4096;
};

/// The numatch process's side of a capture: owns the unfinished trace file and the shared memory
/// that the recorder inside the observed program joins by path().
class session {
 public:
  static result<session> create(const std::filesystem::path& output, const trace_metadata& metadata,
                                const filter_options& filter);
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;
  /// Without finish() nothing is left behind.
  ~session();

  /// What the recorder gets as NUMATCH_SESSION or as plugin argument.
  const std::filesystem::path& path() const;
  /// True once a recorder has joined: false after the program's end means that it was not
  /// instrumented.
  bool joined() const;
  /// Accesses recorded so far in finished chunks, for progress.
  std::uint64_t accesses() const;

  /// After the program has ended, however it did: saves what killed threads had buffered, writes
  /// index and trailer, renames the file. `extra` is added to the metadata (exit code,
  /// interrupted). An error (disk full) removes the file.
  result<void> finish(const std::map<std::string, std::string>& extra);
  struct state;

 private:
  explicit session(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

}  // namespace numatch::trace
