// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/simulate_request.hpp"

namespace numatch::cli {

/// A request that differs from the user's in one thing.
struct swept_request {
  std::string key;
  std::string value;
  simulate_request request;
};

/// Of --sweep texts KEY=VALUE,VALUE,...: KEY is one of a machine description, a mechanism's
/// parameter ([MECHANISM:]NAME), seed, phase or time-scale. Errors: another form, an unknown key
/// (with the nearest known one), a number that is none. Values are checked by plan_of().
result<std::vector<swept_request>> sweep_of(const simulate_request& request,
                                            const std::vector<std::string>& sweeps);

/// The options that the papers leave open, each with values below and above what is usual, and
/// other seeds. Only those that the machine has.
result<std::vector<swept_request>> sensitivity_of(const simulate_request& request,
                                                  const sim::machine_config& config);

}  // namespace numatch::cli
