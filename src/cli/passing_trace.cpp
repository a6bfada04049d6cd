// SPDX-License-Identifier: Apache-2.0
#include "cli/passing_trace.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "cli/capture.hpp"
#include "cli/output_to_errors.hpp"

namespace numatch::cli {

result<passing_trace> passing_trace::record(const std::vector<std::string>& command,
                                            const signals_held& held, console& terminal) {
  std::error_code problem;
  const std::filesystem::path below = std::filesystem::temp_directory_path(problem);
  if (problem) {
    return fail("TMPDIR", problem.message(), "set it to a folder you may write to");
  }
  std::string folder = (below / "numatch-simulate-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail(below.string(), std::generic_category().message(errno),
                "set TMPDIR to a folder you may write to");
  }
  passing_trace made(folder);
  const output_to_errors redirected;
  const result<int> ended = capture({.output = made.file().string(),
                                     .frontend = "auto",
                                     .filter = {},
                                     .allocations = false,
                                     .command = command},
                                    held, terminal);
  if (!ended) return tl::unexpected(ended.error());
  made.exit_code_ = *ended;
  return made;
}

passing_trace::passing_trace(passing_trace&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), exit_code_(other.exit_code_) {}

passing_trace::~passing_trace() {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace numatch::cli
