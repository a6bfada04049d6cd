// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "live/process_view.hpp"

namespace numatch::cli {

/// For a terminal; the largest `most_mappings` mappings.
std::string process_text(const live::process_view& view, std::size_t most_mappings);
/// One JSON object with everything (docs/show.md); ends with a newline.
std::string process_json(const live::process_view& view);

}  // namespace numatch::cli
