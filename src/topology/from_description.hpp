// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "topology/builder.hpp"

namespace numatch {

/// A machine description (machines/NAME.toml, docs/machines.md) as parts: the tree from its hwloc
/// synthetic string, cache sizes and node distances from its facts.
result<topology_parts> description_parts(const std::filesystem::path& path);

/// Gives the caches the sizes, lines and ways that the facts state: hwloc invents sizes for those
/// of a synthetic string.
void describe_caches(std::vector<cache_level>& caches, const std::vector<topology::fact>& facts);

}  // namespace numatch
