// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch::bench {

/// A made-up sharing matrix: symmetric, whole numbers, threads numbered at random.
struct made_pattern {
  sharing_matrix sharing;
  /// Where each thread is in the pattern's own order: a line uses one coordinate, a grid two or
  /// three. Threads near each other here share more, so this is where a planted mapping starts.
  std::vector<std::array<std::uint32_t, 3>> place;
};

/// A way in which threads share, for any number of threads.
struct family {
  std::string_view name;
  bool sparse = true;  ///< the number of pairs that share grows about with the threads
  /// threads ≥ 1; the same arguments give the same matrix on any machine.
  made_pattern (*make)(std::size_t threads, std::uint64_t seed);
};

/// Grids, groups, pipelines, transforms, irregular and all-to-all patterns: 19 of them.
std::span<const family> all_families();
/// An unknown name is an error that suggests the nearest one.
result<const family*> find_family(std::string_view name);

}  // namespace numatch::bench
