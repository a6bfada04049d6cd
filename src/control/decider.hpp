// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "control/decision.hpp"
#include "live/sensor.hpp"

namespace numatch::control {

/// Learns from what a sensor sees of a program and says what to do. Calls come from one thread,
/// with times in nanoseconds of one clock that never falls.
class decider : public live::use_sink {
 public:
  /// Decides where it is due. An error when the program cannot be managed any more.
  virtual result<void> step(std::uint64_t now) = 0;
  virtual control_totals totals() const = 0;
};

}  // namespace numatch::control
