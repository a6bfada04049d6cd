// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/mapping/options.hpp"

namespace numatch::bench {

/// What `build/bench/mapping MODE` can do: one file mode_<name>.cpp each. Modes print; what they
/// call does not.
struct mode {
  std::string_view name;
  std::string_view says;
  std::span<const option_text> takes;
  result<void> (*run)(const options&);
};

extern const mode matrix_mode;
extern const mode run_mode;
extern const mode search_mode;
extern const mode stability_mode;

}  // namespace numatch::bench
