// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "live/system_facts.hpp"
#include "live/system_tree.hpp"

namespace numatch::live {

/// Which processors, nodes, memory and processor time the reading process may use: its
/// /proc/self/status and the control groups (both versions) that it is in.
limit_facts read_limits(const system_tree& tree);

}  // namespace numatch::live
