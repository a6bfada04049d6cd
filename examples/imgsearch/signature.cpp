// SPDX-License-Identifier: Apache-2.0
#include "signature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace imgsearch {
namespace {

struct sums {
  std::size_t pixels = 0;
  std::array<double, 3> colour{};
  std::array<double, 3> square{};  ///< of the distance to the mean
  std::array<double, 3> cube{};
  double x = 0;
  double y = 0;
  std::size_t left = std::numeric_limits<std::size_t>::max();
  std::size_t top = std::numeric_limits<std::size_t>::max();
  std::size_t right = 0;
  std::size_t bottom = 0;
};

std::vector<sums> summed(const picture& from, const segments& of) {
  std::vector<sums> all(of.count);
  for (std::size_t i = 0; i < from.pixels.size(); ++i) {
    sums& mine = all[of.of_pixel[i]];
    const std::size_t x = i % from.width;
    const std::size_t y = i / from.width;
    ++mine.pixels;
    for (std::size_t c = 0; c < 3; ++c) mine.colour[c] += from.pixels[i][c];
    mine.x += static_cast<double>(x);
    mine.y += static_cast<double>(y);
    mine.left = std::min(mine.left, x);
    mine.right = std::max(mine.right, x);
    mine.top = std::min(mine.top, y);
    mine.bottom = std::max(mine.bottom, y);
  }
  for (std::size_t i = 0; i < from.pixels.size(); ++i) {
    sums& mine = all[of.of_pixel[i]];
    for (std::size_t c = 0; c < 3; ++c) {
      const double off = from.pixels[i][c] - mine.colour[c] / static_cast<double>(mine.pixels);
      mine.square[c] += off * off;
      mine.cube[c] += off * off * off;
    }
  }
  return all;
}

std::array<float, features> vector_of(const sums& of, const picture& from) {
  const double pixels = static_cast<double>(of.pixels);
  const double box_width = static_cast<double>(of.right - of.left + 1);
  const double box_height = static_cast<double>(of.bottom - of.top + 1);
  const double picture_size = static_cast<double>(from.pixels.size());
  std::array<double, features> made{};
  for (std::size_t c = 0; c < 3; ++c) {
    made[c] = of.colour[c] / pixels;
    made[3 + c] = std::sqrt(of.square[c] / pixels);
    made[6 + c] = std::cbrt(of.cube[c] / pixels);
  }
  made[9] = 32 * std::log2(box_width / box_height);
  made[10] = 128 * std::sqrt(box_width * box_height / picture_size);
  made[11] = 64 * pixels / (box_width * box_height);
  made[12] = 128 * of.x / pixels / static_cast<double>(from.width);
  made[13] = 128 * of.y / pixels / static_cast<double>(from.height);
  std::array<float, features> values{};
  std::transform(made.begin(), made.end(), values.begin(),
                 [](double value) { return static_cast<float>(value); });
  return values;
}

}  // namespace

signature describe(const picture& from, const segments& of, std::size_t most) {
  std::vector<sums> all = summed(from, of);
  std::stable_sort(all.begin(), all.end(),
                   [](const sums& a, const sums& b) { return a.pixels > b.pixels; });
  all.resize(std::min(most, all.size()));
  signature made;
  for (const sums& each : all) {
    made.segments.add(vector_of(each, from));
    made.weights.push_back(std::sqrt(static_cast<float>(each.pixels)));
  }
  const float whole = std::accumulate(made.weights.begin(), made.weights.end(), 0.0F);
  for (float& weight : made.weights) weight /= whole;
  return made;
}

}  // namespace imgsearch
