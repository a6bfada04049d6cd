// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/summary.hpp"

namespace numatch::report {

/// The report as one HTML file that loads nothing: text and tables are in the markup and can be
/// read without scripts; page.js adds the heat map, the machine and the page usage strip.
std::string html_report(const profile& learned, const summary& s);

}  // namespace numatch::report
