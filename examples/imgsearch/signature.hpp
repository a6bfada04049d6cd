// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "picture.hpp"
#include "segmentation.hpp"
#include "vectors.hpp"

namespace imgsearch {

/// What describes one segment: of each of the three colours its mean, its standard deviation and
/// the cube root of its third central moment; of the segment's box its aspect ratio, its size and
/// how much of it is filled; and the segment's centre, x and y. These are the 14 numbers of Q. Lv
/// et al.: "Ferret: a toolkit for content-based similarity search", EuroSys 2006; brought to about
/// 0...255 here, so that none outweighs the others.
constexpr std::size_t features = 14;

/// The segments of a picture, the largest first, and how much each counts: by the square root of
/// its size, all together 1.
struct signature {
  vsearch::vector_set segments{features};
  std::vector<float> weights;
};

/// Of the largest `most` segments.
signature describe(const picture& from, const segments& of, std::size_t most = 16);

}  // namespace imgsearch
