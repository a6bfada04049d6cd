// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vsearch {

/// One change of a bucket's coordinates: +1 or -1 for some of them.
using perturbation = std::vector<std::int8_t>;

/// The `count` neighbouring buckets that are the most likely to hold near vectors, the likeliest
/// first: query-directed probing (Q. Lv, W. Josephson, Z. Wang, M. Charikar, K. Li: "Multi-probe
/// LSH", VLDB 2007, section 4.4). `below[i]` and `above[i]` are the query's distances to the two
/// borders of its slot in coordinate i; the score of a perturbation is the sum of the squares of
/// those that it crosses.
std::vector<perturbation> likeliest_probes(std::span<const float> below,
                                           std::span<const float> above, std::size_t count);

}  // namespace vsearch
