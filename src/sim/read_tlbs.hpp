// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fact_reader.hpp"
#include "sim/machine_config.hpp"
#include "topology/topology.hpp"

// TLBs and pages of a machine description. Errors are left with the reader.

namespace numatch::sim {

/// One level, or two where the facts state tlb.l2. Errors: entries that are no whole number of
/// ways.
std::vector<tlb_config> read_tlbs(fact_reader& facts, const topology& machine);

/// Errors: not a power of two from 1 KiB to 2 MiB, smaller than a line.
std::uint64_t read_page_bytes(fact_reader& facts, unsigned line_bytes);

}  // namespace numatch::sim
