// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "live/sensor.hpp"

namespace numatch::live {

/// Whether the kernel takes NUMA hinting faults here: it does on machines with several nodes, when
/// NUMA balancing is on.
availability probe_hint_faults(const system_facts& here);

}  // namespace numatch::live
