// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "bench/mapping/families.hpp"
#include "mapping/mapper.hpp"

namespace numatch::bench {

/// A machine to map on.
struct bench_machine {
  std::string_view name;  ///< parts per level, "2x8x2"; or the name of a machine that is no tree
  std::string_view spec;  ///< for topology::load()
  std::size_t pus = 0;
};

/// Trees of 32 to 4096 PUs, and "ladder": eight sockets of eight PUs as a twisted ladder.
std::span<const bench_machine> all_machines();
result<const bench_machine*> find_machine(std::string_view name);

/// A machine with its distances, ready to map on.
struct loaded_machine {
  topology machine;
  distance_table distances;
};
/// The distances of "ladder" are the hops between its sockets, 0 inside one; those of the others
/// follow the tree.
result<loaded_machine> load(const bench_machine& machine);

/// One question to a mapper: a made-up pattern, or the matrix captured from a real program.
struct instance {
  const family* pattern = nullptr;  ///< nullptr: `capture`
  const bench_machine* machine = nullptr;
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  std::string capture = {};  ///< name of a file of bench/mapping/captures without ".txt"

  std::string pattern_name() const;  ///< "stencil2d", "capture:pigz-16"
  std::string name() const;          ///< "stencil2d-64@4x8x2#1"
  /// Captured matrices count as dense: all threads share what the program shares.
  bool sparse() const;
  /// `place` is empty for a captured matrix. Errors: a file that cannot be read.
  result<made_pattern> make() const;
};

/// The table of docs/mapping-quality.md: every family with `threads` threads on the machines of
/// that size. 32, 64, 256 and 1024 have two machines, all PUs equally full; 4096 has one, with
/// sparse families only. Empty for other sizes.
std::vector<instance> table_of(std::size_t threads, std::uint64_t seed);
/// The captured matrices with the machines of 32 and 64 PUs that hold their threads evenly or have
/// a PU for each.
result<std::vector<instance>> captured_instances();
/// Sizes that table_of() knows.
std::span<const std::size_t> table_sizes();

}  // namespace numatch::bench
