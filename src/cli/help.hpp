// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/documentation.hpp"

namespace numatch::cli {

/// The text of --help, 80 columns wide. `styled` makes the headings bold, for a terminal.
std::string help_text(const command_doc& documented, bool styled);

}  // namespace numatch::cli
