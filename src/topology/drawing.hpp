// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace numatch {

/// The machine as indented text: groups with their caches, PUs as cells of their innermost group.
/// `notes[pu]` (may be empty) is written behind the PU: the threads that a mapping put there. Lines
/// stay within 100 columns where a single cell does.
std::string draw_machine(const topology& machine, const std::vector<std::string>& notes = {});

/// The node distance table with a line that says where it comes from; empty for a single node.
std::string draw_node_distances(const topology& machine);

/// "1.5 MiB", "512 B".
std::string size_text(std::uint64_t bytes);

}  // namespace numatch
