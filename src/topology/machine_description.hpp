// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "topology/topology.hpp"

namespace numatch {

/// The fact of a key, or null.
const topology::fact* find_fact(const std::vector<topology::fact>& facts, std::string_view key);

/// A machine description file as it is written: facts, each with unit and source. Facts of a
/// `base` come first and are replaced by facts of the same key.
struct machine_description {
  std::string name;     ///< the file's stem
  std::string summary;  ///< one line
  std::vector<topology::fact> facts;
  std::vector<std::vector<double>> node_distances;  ///< empty: not stated

  /// The fact of a key, or null.
  const topology::fact* find(std::string_view key) const { return find_fact(facts, key); }
};

/// Reads a description and those that it is based on. Errors name file, line and key: TOML syntax,
/// unknown key or word (with the nearest known one), missing source, wrong unit, a number that is
/// not positive and finite or more than largest_fact, a base that does not exist or leads back to
/// itself.
result<machine_description> read_description(const std::filesystem::path& path);

/// A size with unit B, KiB, MiB or GiB in bytes; 0 for any other fact.
std::uint64_t bytes_of(const topology::fact& size);

}  // namespace numatch
