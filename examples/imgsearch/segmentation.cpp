// SPDX-License-Identifier: Apache-2.0
#include "segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace imgsearch {
namespace {

picture smoothed(const picture& from) {
  picture made = from;
  for (std::size_t y = 0; y < from.height; ++y) {
    for (std::size_t x = 0; x < from.width; ++x) {
      std::array<unsigned, 3> sum{};
      unsigned pixels = 0;
      for (std::size_t v = y > 0 ? y - 1 : 0; v < std::min(y + 2, from.height); ++v) {
        for (std::size_t u = x > 0 ? x - 1 : 0; u < std::min(x + 2, from.width); ++u) {
          for (std::size_t c = 0; c < 3; ++c) sum[c] += from.at(u, v)[c];
          ++pixels;
        }
      }
      for (std::size_t c = 0; c < 3; ++c) {
        made.at(x, y)[c] = static_cast<std::uint8_t>(sum[c] / pixels);
      }
    }
  }
  return made;
}

struct border {
  float step = 0;  ///< Euclidean, between the colours of two neighbours
  std::uint32_t one = 0;
  std::uint32_t other = 0;
};

float step_between(const colour& a, const colour& b) {
  int sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(static_cast<float>(sum));
}

/// All pairs of neighbours, those with the smallest step first.
std::vector<border> borders_of(const picture& from) {
  std::vector<border> made;
  made.reserve(2 * from.pixels.size());
  for (std::size_t i = 0; i < from.pixels.size(); ++i) {
    const auto add = [&](std::size_t other) {
      made.push_back({step_between(from.pixels[i], from.pixels[other]),
                      static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(other)});
    };
    if (i % from.width + 1 < from.width) add(i + 1);
    if (i + from.width < from.pixels.size()) add(i + from.width);
  }
  std::stable_sort(made.begin(), made.end(),
                   [](const border& a, const border& b) { return a.step < b.step; });
  return made;
}

/// Sets of pixels that grow together.
class components {
 public:
  components(std::size_t pixels, double scale)
      : parent_(pixels), size_(pixels, 1), within_(pixels, 0), scale_(scale) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::uint32_t of(std::uint32_t pixel) {
    while (parent_[pixel] != pixel) {
      parent_[pixel] = parent_[parent_[pixel]];
      pixel = parent_[pixel];
    }
    return pixel;
  }
  std::size_t size(std::uint32_t component) const { return size_[component]; }
  /// The largest step that may join this component with another: Int(C) + k / |C|.
  double allows(std::uint32_t component) const {
    return within_[component] + scale_ / static_cast<double>(size_[component]);
  }
  void join(std::uint32_t a, std::uint32_t b, float step) {
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
    within_[a] = std::max({within_[a], within_[b], step});
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::size_t> size_;
  std::vector<float> within_;  // the largest step of a component's spanning tree
  double scale_;
};

}  // namespace

segments segment(const picture& from, const segmentation_options& options) {
  const std::vector<border> borders = borders_of(smoothed(from));
  components grown(from.pixels.size(), options.scale);
  for (const border& each : borders) {
    const std::uint32_t a = grown.of(each.one);
    const std::uint32_t b = grown.of(each.other);
    if (a != b && each.step <= std::min(grown.allows(a), grown.allows(b))) {
      grown.join(a, b, each.step);
    }
  }
  const double least = options.least_share * static_cast<double>(from.pixels.size());
  for (const border& each : borders) {
    const std::uint32_t a = grown.of(each.one);
    const std::uint32_t b = grown.of(each.other);
    if (a != b && static_cast<double>(std::min(grown.size(a), grown.size(b))) < least) {
      grown.join(a, b, each.step);
    }
  }

  constexpr std::uint32_t unnumbered = std::numeric_limits<std::uint32_t>::max();
  segments found{std::vector<std::uint32_t>(from.pixels.size()), 0};
  std::vector<std::uint32_t> number(from.pixels.size(), unnumbered);
  for (std::uint32_t i = 0; i < found.of_pixel.size(); ++i) {
    std::uint32_t& mine = number[grown.of(i)];
    if (mine == unnumbered) mine = static_cast<std::uint32_t>(found.count++);
    found.of_pixel[i] = mine;
  }
  return found;
}

}  // namespace imgsearch
