// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/simulation.hpp"

// What all forms of a simulation's result begin with.

namespace numatch::report {

inline constexpr std::size_t table_width = 100;

/// Program, machine, seed and all that the numbers rest on; lines of at most table_width columns.
std::string preface(const simulation& done);
/// A sentence as indented lines.
std::string paragraph(const std::string& says);
/// Three digits, "12.3"; from 1000 on "1.23 k".
std::string decimal(double value);

/// The same as JSON: the members that every document begins with.
nlohmann::ordered_json json_frame(const simulation& done, const char* format);
std::string json_text(const nlohmann::ordered_json& made);

}  // namespace numatch::report
