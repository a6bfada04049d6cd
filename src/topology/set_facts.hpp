// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "topology/topology.hpp"

namespace numatch {

/// The machine with some facts set by a person: key → value with its unit as one text, such as
/// "cache.l2.size" → "2 MiB" or "link.inter.topology" → "full". Works on every kind of machine.
/// Errors name the key: unknown (with the nearest known one), wrong unit, word or number, and the
/// keys that only a description can state (tree.hwloc, distance.nodes).
result<topology> set_facts(const topology& machine,
                           const std::map<std::string, std::string>& settings);

}  // namespace numatch
