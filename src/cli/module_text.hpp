// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "live/module_state.hpp"

namespace numatch::cli {

/// What `numatch module status` says, for a terminal. Sessions and threads are counted by the
/// kernel.
std::string module_text(const live::module_state& state);
/// One JSON object; ends with a newline.
std::string module_json(const live::module_state& state);

}  // namespace numatch::cli
