// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/encoder.hpp"
#include "trace/reader.hpp"
#include "trace/session.hpp"

namespace numatch::trace {

/// A folder of its own for one test, removed at its end.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "numatch-test.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline trace_metadata test_metadata() {
  trace_metadata metadata;
  metadata.frontend = "test";
  metadata.command = {"made", "by a test"};
  metadata.counts_instructions = true;
  return metadata;
}

/// The value, or an exception that fails the test with the message.
template <class T>
T value_of(result<T> r) {
  if (!r) throw std::runtime_error(r.error().message());
  return std::move(*r);
}
inline void check(const result<void>& r) {
  if (!r) throw std::runtime_error(r.error().message());
}

/// A session that this process itself joins.
struct recording {
  explicit recording(const std::filesystem::path& output, const filter_options& filter = {})
      : made(value_of(session::create(output, test_metadata(), filter))),
        inside(join_session(made.path().c_str())) {}
  void finish_trace() {
    trace::finish(inside);
    check(made.finish({}));
  }
  session made;
  recorder* inside;
};

struct thread_accesses {
  std::vector<access> accesses;
  std::vector<block> blocks;  ///< their spans are empty
};

inline thread_accesses read_accesses(const reader& trace, std::uint32_t thread) {
  thread_accesses all;
  access_cursor cursor = trace.accesses_of(thread_id(thread));
  for (;;) {
    block next = value_of(cursor.next());
    if (next.accesses.empty()) return all;
    all.accesses.insert(all.accesses.end(), next.accesses.begin(), next.accesses.end());
    next.accesses = {};
    all.blocks.push_back(next);
  }
}

}  // namespace numatch::trace
