// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reproduce/page.hpp"

namespace numatch::reproduce {

/// A table of a sweep as lines over its points: a colour per program, a kind of line per run. SVG
/// in a figure, with a legend; empty where there is no value. Its classes are styled by
/// chart_style().
std::string chart_of(const page_sweep& sweep, const page_sweep_table& table);
std::string_view chart_style();

}  // namespace numatch::reproduce
