// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/sensing.hpp"
#include "live/sensor.hpp"
#include "pattern/profile.hpp"

namespace numatch::live {

struct live_profile_options {
  std::string sensor = "auto";
  std::optional<double> seconds;  ///< nullopt: until the program ends or `stop`
  unsigned most_windows = 16;
  sensing_options sensing{};
};

struct live_profile {
  profile learned;
  sensing_totals totals;
  std::vector<std::string> limits;  ///< sensor::limits()
};

/// Senses a running process until it ends, the time is over or `stop` is set, and makes a profile
/// of what was seen; the process goes on unharmed. `ready` is called once when sensing has begun.
/// An error when the sensor does not work here or the process may not be observed.
result<live_profile> profile_process(observed_process& process, const std::string& command,
                                     const live_profile_options& options,
                                     const std::atomic<bool>& stop,
                                     const std::function<void()>& ready);

}  // namespace numatch::live
