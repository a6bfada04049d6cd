// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace numatch::report {

/// A cell of a heat map in text, one column wide: the darker, the more. `share_of_highest` is the
/// cell's value in parts of the highest one.
std::string_view shade(double share_of_highest);

}  // namespace numatch::report
