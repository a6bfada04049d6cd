// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace numatch::cli {

/// Runs a command in a folder, with what it prints in files, and with numatch and its compiler
/// wrappers first in its PATH; the exit code, 128 + signal when one ended it. What `make` tells its
/// children is kept from it. `errors` empty: standard error goes to `output`, too. An error when it
/// cannot be started.
result<int> logged_command(const std::vector<std::string>& words,
                           const std::filesystem::path& folder, const std::filesystem::path& output,
                           const std::filesystem::path& errors = {});

/// The line of a log that says best what went wrong: the first with "error", else the last one.
std::string complaint_in(const std::string& log);

}  // namespace numatch::cli
