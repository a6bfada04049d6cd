// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/top_screen.hpp"

namespace numatch::cli {

/// What was typed as one letter per key: arrows are k and j, page up and down b and f, home g; a
/// sequence that nobody knows is left out.
std::string keys_of(std::string_view typed);

/// What a key asks for; `view` is changed accordingly. `page`: rows that page up and down skip.
enum class top_wish : std::uint8_t { nothing, redraw, quit };
top_wish press(char key, top_view& view, std::size_t page);

}  // namespace numatch::cli
