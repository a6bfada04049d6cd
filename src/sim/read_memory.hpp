// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/fact_reader.hpp"
#include "sim/machine_config.hpp"

namespace numatch::sim {

/// The memory of a node. With memory.timing "CL-tRCD-tRP" in clocks of two transfers (JEDEC):
/// a row hit takes CL, a closed row tRCD more, a conflict tRP more than that, and a line so many
/// transfers of 8 B. Errors are left with the reader.
memory_config read_memory(fact_reader& facts, unsigned line_bytes);

}  // namespace numatch::sim
