// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trace/reader.hpp"

namespace numatch::test {

/// A folder that goes away with the test.
class scratch {
 public:
  scratch();
  ~scratch();
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct finished {
  int code = 0;  ///< as a shell says it
  std::string output;
  std::string errors;
};

/// A line of sh in `folder`, with build/bin in front of PATH.
finished shell(const std::string& line, const std::filesystem::path& folder);

struct seen_event {
  trace::event_kind kind{};
  std::uint64_t position = 0;
  std::uint64_t stamp = 0;
  std::vector<std::uint64_t> args;
  std::string text;
};

struct seen_thread {
  std::vector<trace::access> accesses;
  std::vector<std::uint64_t> stamps;  ///< of each access: its block's
  std::vector<seen_event> events;
  std::vector<seen_event> events_of(trace::event_kind kind) const;
};

/// What one run recorded.
struct captured {
  finished run;
  std::vector<seen_thread> threads;
  /// Accesses of all threads inside [begin, end).
  std::uint64_t count(std::uint64_t begin, std::uint64_t end, bool write) const;
  /// The bytes that the program named with NUMATCH_LABEL.
  struct range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::map<std::string, range> labels() const;
  std::uint64_t reads_of(const std::string& name) const;
  std::uint64_t writes_of(const std::string& name) const;
};

/// Replays `folder`/trace.nmt: by label, how many reads come before the first write to their
/// address; labels without any are left out. Empty when the recorded synchronisation is complete.
std::map<std::string, std::uint64_t> reads_before_writes(const captured& seen,
                                                         const std::filesystem::path& folder);

/// Runs `command` (a line of sh) as `numatch trace` would and reads the trace back. Checks with
/// EXPECT that the trace is whole.
captured capture(const std::string& command, const std::filesystem::path& folder);

/// Builds tests/instrumented/programs/SOURCE with `compiler` ("numatch-cc -O2") to ./program. A
/// failure fails the test.
void build(const std::string& compiler, const std::string& source,
           const std::filesystem::path& folder, const std::string& libraries = {});

}  // namespace numatch::test
