// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/summary.hpp"

namespace numatch::report {

/// What page/page.js draws from, as JSON that may stand inside a <script> element: ASCII only and
/// without "<", ">" and "&". Private to the page: json.hpp is the one for other programs.
std::string page_data(const profile& learned, const summary& s);

}  // namespace numatch::report
