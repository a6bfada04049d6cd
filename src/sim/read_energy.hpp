// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/fact_reader.hpp"
#include "sim/machine_config.hpp"

namespace numatch::sim {

/// Energy per event and power of what always burns, for the machine's caches. What is not stated is
/// as in machines/simics-4x2.toml.
energy_config read_energy(const fact_reader& facts, const machine_config& machine);

}  // namespace numatch::sim
