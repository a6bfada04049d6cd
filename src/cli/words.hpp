// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace numatch::cli {

/// The parts between separators; an empty text has one empty part.
std::vector<std::string> split(std::string_view text, char separator);

/// "KEY=VALUE" as its two sides, or nothing where there is no '=' or nothing before it.
std::optional<std::pair<std::string, std::string>> key_and_value(std::string_view text);

}  // namespace numatch::cli
