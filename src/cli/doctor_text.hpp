// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/sensor.hpp"
#include "live/system_facts.hpp"

namespace numatch::cli {

/// A sensor and whether it works here.
struct examined_sensor {
  std::string_view name;
  std::string_view summary;
  std::string_view sees;
  int rank = 0;
  live::availability here;
};

/// In the order in which `--sensor auto` tries them.
std::vector<examined_sensor> examine(std::span<const live::sensor_entry* const> sensors,
                                     const live::system_facts& facts);

/// For a terminal: what can be seen here first, then what may interfere.
std::string doctor_text(const live::system_facts& facts, std::span<const examined_sensor> sensors);
/// One JSON object (docs/doctor.md); ends with a newline.
std::string doctor_json(const live::system_facts& facts, std::span<const examined_sensor> sensors);

}  // namespace numatch::cli
