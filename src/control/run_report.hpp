// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "control/decision.hpp"
#include "control/run_control.hpp"

namespace numatch::control {

/// A line of JSON without its end; docs/run.md lists the fields.
std::string as_json_line(const decision& told);
/// The whole run as one JSON object.
std::string as_json(const run_status& status);
/// The state of now in the OpenMetrics text format 1.0.
std::string as_open_metrics(const run_status& status);
/// For a person: lines "  name  text".
std::string as_text(const run_status& status, bool dry_run);

}  // namespace numatch::control
