// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/result.hpp"
#include "trace/reader.hpp"

// Traces in the formats of other tools. All refuse a trace that was filtered by a TLB while it was
// recorded, because its accesses are not there.

namespace numatch::trace {

/// Takes the next piece of a text.
using text_sink = std::function<result<void>(std::string_view)>;

/// Valgrind's lackey --trace-mem=yes: " L address,bytes" and " S address,bytes", in the order of a
/// replay. Instructions and threads are lost.
result<void> export_lackey(const reader& trace, const text_sink& sink);

/// Dinero's din: "0 address" for a read, "1 address" for a write, in the order of a replay. Sizes,
/// instructions and threads are lost.
result<void> export_din(const reader& trace, const text_sink& sink);

/// numalize's matrices: PREFIX.full.SHIFT.comm.csv (threads that follow each other on a block of
/// 2^shift bytes; last thread first, as numalize prints them) and PREFIX.full.page.csv (page
/// number, first thread, accesses of each thread).
result<void> export_numalize(const reader& trace, const std::filesystem::path& prefix,
                             unsigned shift);

/// DynamoRIO's final drmemtrace records, FOLDER/trace/*.trace, one file per thread. Only
/// instructions that access memory are in it, so the files are marked as filtered; the length of an
/// instruction is not known and given as 1; timestamps are our stamps. The folder must not exist.
result<void> export_drmemtrace(const reader& trace, const std::filesystem::path& folder);

}  // namespace numatch::trace
