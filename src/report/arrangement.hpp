// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "pattern/sharing_matrix.hpp"

namespace numatch::report {

/// An order of the threads in which those that share most stand side by side: the heaviest path
/// found by joining pairs from the heaviest down and then reversing pieces while that helps
/// (2-opt). Does not depend on how the threads are numbered, ties apart. Starts with the end that
/// has the lower number. `weights` is symmetric. Time O(n² log n), memory O(n²).
std::vector<std::size_t> linear_arrangement(const sharing_matrix& weights);

}  // namespace numatch::report
