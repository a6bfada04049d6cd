// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanism/mechanism.hpp"

namespace numatch::sim {

/// What the simulated machine can give a mechanism.
world_offer simulation_offer();

}  // namespace numatch::sim
