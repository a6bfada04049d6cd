// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "live/memory_unit.hpp"
#include "live/sampled_events.hpp"

namespace numatch::live {

/// The accesses that the processor samples, by so many a second on each processor and event that
/// two of them cost less than one percent: at most 2,000, of some 2 microseconds each. A use stands
/// for as many accesses as the sample's period says. Accesses of the kernel's own memory are left
/// out. `units`: those that have events, at least one.
std::unique_ptr<sampled_events> memory_events(std::vector<memory_unit> units);

}  // namespace numatch::live
