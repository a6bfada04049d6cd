// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.hpp"

namespace numatch::trace {

/// What a trace must hold beyond being readable.
struct check_report {
  /// The first place in the file where an invariant does not hold: the chunk's offset and what is
  /// wrong. Empty for a sound trace.
  struct broken_invariant {
    std::uint64_t offset = 0;
    error what;
  };
  std::optional<broken_invariant> broken;

  // Of the part that was checked.
  std::uint64_t chunks = 0;
  std::uint64_t threads = 0;
  std::uint64_t accesses = 0;  ///< or TLB records of a filtered trace
  std::uint64_t events = 0;
  // Allowed, but good to know.
  std::uint64_t frees_of_unknown = 0;   ///< free of an address that no allocate returned
  std::uint64_t regions_left_open = 0;  ///< a program that was interrupted leaves some
};

/// Reads the whole trace: checksums, positions without gaps, stamps that rise within a thread and
/// occur once, known events in their place, thread_start first and thread_end last, regions that
/// are closed in the order in which they were opened. An error only when the file cannot be opened
/// or is no trace of a version that is known.
result<check_report> check_trace(const std::filesystem::path& path);

}  // namespace numatch::trace
