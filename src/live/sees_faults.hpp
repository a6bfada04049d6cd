// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "live/sensor.hpp"

namespace numatch::live {

/// Whether page faults of the user's own programs can be seen here, which most sensors need.
availability sees_faults(const system_facts& here);

}  // namespace numatch::live
