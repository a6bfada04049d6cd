// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pattern/profile.hpp"

namespace numatch {

/// Sorts uses of single pages by page, window and thread, and replaces contiguous pages that the
/// same threads used equally often in the same windows by one run of pages.
void merge_alike_pages(std::vector<page_use>& uses);

}  // namespace numatch
