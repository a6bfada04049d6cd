// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "picture.hpp"

namespace imgsearch {

struct segmentation_options {
  double scale = 300;         ///< k of the paper: larger gives larger segments
  double least_share = 0.01;  ///< of the picture; a smaller segment joins a neighbour
};

/// The segment of every pixel, numbered from 0 in the order of their first pixels, and how many
/// there are. Graph-based: two neighbours join when the step between them is no larger than the
/// steps inside both (P. Felzenszwalb, D. Huttenlocher: "Efficient Graph-Based Image Segmentation",
/// IJCV 59(2), 2004, section 4), on a picture that a 3 x 3 mean has smoothed.
struct segments {
  std::vector<std::uint32_t> of_pixel;
  std::size_t count = 0;
};
segments segment(const picture& from, const segmentation_options& options = {});

}  // namespace imgsearch
