// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <span>

namespace numatch {

/// Pearson's correlation of two equally long series; 0 where one of them does not vary.
double pearson(std::span<const double> a, std::span<const double> b);

}  // namespace numatch
