// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/summary.hpp"

namespace numatch::report {

/// The tables of the HTML report as markup; every text from the profile is escaped.
std::string measures_table(const summary& s);
std::string threads_table(const profile& learned, const summary& s);
std::string pages_table(const summary& s);
std::string mappings_table(const summary& s);
std::string objects_table(const profile& learned, const summary& s);
std::string false_sharing_table(const profile& learned, const summary& s);

}  // namespace numatch::report
