// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/summary.hpp"

namespace numatch::report {

/// The whole summary as one JSON object; keys and units are in docs/report.md and stay as they are.
/// Bytes that are not UTF-8 are replaced. Ends with a newline.
std::string json_report(const profile& learned, const summary& s);

}  // namespace numatch::report
