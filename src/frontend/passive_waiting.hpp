// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/launch.hpp"

namespace numatch::frontend {

/// OpenMP threads that wait in a loop fill a trace with accesses that depend on the capturing
/// machine. Asks both run-times to sleep instead, unless the user has decided.
void wait_passively(launch_plan& plan);

}  // namespace numatch::frontend
