// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// A thread of the observed program. Times are positions on the profile's time axis (see
/// profile::time_unit).
struct profiled_thread {
  std::uint32_t os_tid = 0;
  std::string name;  ///< empty when the program gave none
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t accesses = 0;
  std::uint64_t instructions = 0;  ///< 0 when the sensor does not count them
};

/// Half-open piece of the time axis.
struct time_window {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// How one thread used a run of contiguous pages in one time window: `reads` and `writes` are per
/// page, the same for every page of the run.
struct page_use {
  page_number first_page;
  std::uint64_t pages = 1;
  std::uint32_t window = 0;
  thread_id thread;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
};

enum class object_kind { heap, global, stack, mapping, unknown };
std::string_view to_string(object_kind kind);
std::optional<object_kind> object_kind_named(std::string_view word);

/// A piece of the program's data as its programmer knows it: an allocation site (all blocks that it
/// returned), a global variable, a thread's stack, a file or anonymous mapping.
struct data_object {
  object_kind kind = object_kind::unknown;
  std::string name;      ///< variable, mapped file, or "malloc at grid.c:41"
  std::string function;  ///< of the allocation site; empty when unknown
  std::string file;      ///< source file; empty when unknown
  std::uint32_t line = 0;
  std::uint64_t bytes = 0;   ///< all blocks together, at their largest
  std::uint64_t blocks = 1;  ///< allocations
  std::uint64_t accesses = 0;
  std::uint64_t shared_pages = 0;  ///< pages of it that at least two threads used
  /// accesses[t] of thread t to this object, on shared pages only.
  std::map<std::uint32_t, std::uint64_t> shared_accesses;
};

/// A cache line whose bytes belong to different threads, at least one of which writes.
struct false_sharing {
  std::uint64_t line_address = 0;  ///< first byte of the line
  std::int64_t object = -1;        ///< index in profile::objects, -1 when unknown
  std::uint64_t accesses = 0;
  std::uint64_t writes = 0;
  struct part {
    thread_id thread;
    std::uint64_t bytes_read = 0;     ///< bit b: byte b of the line was read
    std::uint64_t bytes_written = 0;  ///< bit b: byte b of the line was written
    std::uint64_t accesses = 0;
  };
  std::vector<part> parts;
};

/// How the numbers were obtained; shown with every number.
enum class evidence { measured, sampled, simulated };
std::string_view to_string(evidence kind);
std::optional<evidence> evidence_named(std::string_view word);

/// What was learned about a program, independent of the machine it will run on: nodes are derived
/// when it is mapped. One SQLite file (docs/profile-format.md).
struct profile {
  std::string command;
  std::string mechanism;    ///< the detector: "oracle", "lapt", ...
  std::string frontend;     ///< the sensor: "qemu", "instrumented", ...
  std::string matrix_unit;  ///< "accesses", "TLB misses", ...
  std::string time_unit;    ///< "instructions" or "accesses"
  evidence how = evidence::measured;
  std::uint64_t page_bytes = 4096;
  std::uint64_t total_accesses = 0;
  std::map<std::string, std::string> metadata;    ///< anything else worth keeping
  std::map<std::string, std::string> parameters;  ///< of the mechanism
  std::vector<profiled_thread> threads;
  sharing_matrix sharing;
  std::vector<time_window> windows;
  /// Sorted by first_page, window, thread. Two runs are the same pages or have none in common.
  std::vector<page_use> pages;
  std::vector<data_object> objects;
  std::vector<false_sharing> false_shares;
};

/// The sharing matrix is dense: with more threads than this it would not fit a usual machine.
inline constexpr std::size_t max_profile_threads = 20000;

/// What every profile keeps: a sharing matrix of as many threads as there are, finite and not
/// negative, indices in range, page uses in their order. The first break is the error.
result<void> check_profile(const profile& p);

/// Writes the whole profile or nothing; one that fails check_profile() is refused.
result<void> save_profile(const profile& learned, const std::filesystem::path& path);
/// Refuses what is not a profile, a newer version of it, one that is cut off and one that fails
/// check_profile().
result<profile> load_profile(const std::filesystem::path& path);

}  // namespace numatch
