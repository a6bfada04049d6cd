// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/summary.hpp"

namespace numatch::report {

/// The report for a terminal, at most 100 columns wide, UTF-8, ending with a newline: the verdict
/// first, then what it rests on.
std::string text_report(const profile& learned, const summary& s);

/// The sharing matrix as block characters, threads in the given order, or an empty string for more
/// than 64 threads. Lines are at most 100 columns and are indented by two.
std::string text_heat_map(const sharing_matrix& sharing, const std::vector<thread_id>& order);

}  // namespace numatch::report
