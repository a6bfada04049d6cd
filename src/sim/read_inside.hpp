// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/fact_reader.hpp"
#include "sim/machine_config.hpp"

namespace numatch::sim {

inline constexpr unsigned most_stops = 128;  ///< of a chip, with a mesh's empty places

/// The inside of the chips of a machine whose PUs, caches and network are read already. Errors,
/// left with the reader: stops on a machine of one cache level, a mesh without room for them, more
/// than most_stops, messages or lookups that occupy something for too long.
inside_config read_inside(fact_reader& facts, const machine_config& machine);

/// What a read that leaves the chip takes inside it beyond the last level's lookup when nobody else
/// is there; on average over cores and banks, where that differs.
double quiet_way(const machine_config& machine);

}  // namespace numatch::sim
