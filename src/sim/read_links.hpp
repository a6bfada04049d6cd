// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/fact_reader.hpp"
#include "sim/machine_config.hpp"

// What the links between chips and those inside them are described by alike.

namespace numatch::sim {

/// "4x2" → 4, 2; empty where it is anything else. Each is at most 64.
std::vector<unsigned> extents(const std::string& text);

/// Cycles that a message needs behind its first one.
double transfer_of(unsigned message_bytes, double bytes_per_cycle);

/// Complains of `key` where the network's messages would occupy a link for too long.
void check_width(fact_reader& facts, std::string_view key, const network_config& network,
                 double bytes_per_cycle);

}  // namespace numatch::sim
