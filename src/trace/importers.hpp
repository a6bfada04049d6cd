// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <filesystem>

#include "base/result.hpp"

// Traces of other tools as ours. They have one thread and no events but its start and end. An error
// names the line that could not be read, and leaves no output.

namespace numatch::trace {

/// Valgrind's lackey --trace-mem=yes: "I  address,bytes" counts an instruction and gives the
/// following accesses their pc; " L", " S" and " M" (read, then write) are accesses; Valgrind's own
/// lines ("==123== …") are skipped.
result<void> import_lackey(const std::filesystem::path& input, const std::filesystem::path& output);

/// Dinero's din: "0 address" reads, "1 address" writes, "2 address" fetches an instruction. The
/// format has no sizes: every access is taken as 4 bytes.
result<void> import_din(const std::filesystem::path& input, const std::filesystem::path& output);

}  // namespace numatch::trace
