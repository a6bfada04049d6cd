// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mapping/comparison.hpp"
#include "mapping/mapper.hpp"
#include "mapping/page_placement.hpp"

namespace numatch {

/// A mapping as it is saved and given to `numatch exec` (docs/mapping.md shows the JSON).
struct saved_mapping {
  mapping_answer answer;
  std::string machine;  ///< the SPEC it was made for
  std::vector<node_id> nodes;
  double share_in_node = 1;
  std::optional<page_placement> pages;
  std::vector<compared_algorithm> compared;  ///< other algorithms, where they were asked
};

/// JSON, one key per line. The page runs can be many and are left out unless asked for; the
/// comparison is left out where it is empty.
std::string mapping_to_json(const saved_mapping& mapping, bool with_page_runs);

/// What of a mapping file is needed to use it: algorithm, places, machine, page policy. Errors name
/// the file and the key.
result<saved_mapping> read_mapping(const std::filesystem::path& path);

}  // namespace numatch
