// SPDX-License-Identifier: Apache-2.0
// C++17: the solver behind it is not ready for more.
#pragma once

#include <vector>

namespace imgsearch {

/// The earth mover's distance (Y. Rubner, C. Tomasi, L. Guibas: "The Earth Mover's Distance as a
/// Metric for Image Retrieval", IJCV 40(2), 2000): the least work that turns one distribution into
/// another. `from` and `to` each sum up to 1; `distances[i * to.size() + j]` is the way from i to
/// j. Weights are rounded to 2^-20 and distances to 2^-10, so that the same input gives the same
/// bits.
double earth_movers_distance(const std::vector<float>& from, const std::vector<float>& to,
                             const std::vector<float>& distances);

}  // namespace imgsearch
