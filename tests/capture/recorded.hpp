// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/reader.hpp"

namespace numatch::capture {

/// An event of the trace with its thread; `text` is a copy.
struct seen_event {
  std::uint32_t thread = 0;
  trace::event event;
  std::string text;
};

/// Accesses to one labelled piece of memory.
struct tally {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

/// How a command ended: its exit code, and what it said.
struct ended {
  int code = -1;
  std::string out;
  std::string err;
};

/// A command that runs; standard input is empty. Its process group is its own.
class running_command {
 public:
  running_command(const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string>& environment,
                  const std::filesystem::path& folder);
  /// Waits until its standard output has a whole line.
  void wait_for_line();
  pid_t process() const { return process_; }
  ended wait();

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
};

/// A capture of a guest program (tests/capture/guests) in a folder of its own.
class recorded {
 public:
  /// numatch trace OPTIONS -- GUEST ARGUMENTS
  recorded(const std::string& guest, const std::vector<std::string>& arguments = {},
           const std::vector<std::string>& options = {});
  recorded(const recorded&) = delete;
  recorded& operator=(const recorded&) = delete;
  ~recorded();

  /// Starts the command without waiting: finish() does.
  struct later {};
  recorded(later, const std::string& guest, const std::vector<std::string>& arguments);
  running_command& command() { return *command_; }
  void finish();

  const ended& end() const { return end_; }
  bool has_trace() const { return trace_.has_value(); }
  const trace::reader& trace() const { return *trace_; }
  /// Events of one kind in the order of their stamps.
  std::vector<seen_event> events(trace::event_kind kind) const;
  /// The label with this name; fails the test when there is none.
  seen_event label(const std::string& name) const;
  /// Accesses that lie wholly in the label, by thread.
  std::map<std::uint32_t, tally> accesses(const std::string& label) const;
  /// Those of all threads together.
  tally total(const std::string& label) const;

 private:
  void start(const std::string& guest, const std::vector<std::string>& arguments,
             const std::vector<std::string>& options);
  std::filesystem::path folder_;
  std::optional<running_command> command_;
  ended end_;
  std::optional<trace::reader> trace_;
  std::vector<seen_event> events_;
};

/// A folder that is removed at the end of the test.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace numatch::capture
