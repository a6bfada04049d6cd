// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pattern/profile.hpp"

namespace numatch::cli {

/// What `numatch profile` prints about the profile that it wrote to `output`.
nlohmann::ordered_json summary_of(const profile& p, const std::filesystem::path& output);
std::string as_json(const nlohmann::ordered_json& summary);

/// The same for people. `counted`: what the profile's amounts are, "accesses" or "uses".
std::string as_text(const profile& p, std::string_view counted, const std::filesystem::path& output,
                    std::string_view more = "");

}  // namespace numatch::cli
