// SPDX-License-Identifier: Apache-2.0
#include "scenes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "draws.hpp"

namespace imgsearch {
namespace {

using vsearch::draws;

using light = std::array<double, 3>;

/// An ellipse or a rectangle; places and sizes in parts of the picture.
struct shape {
  bool round = false;
  double x = 0;
  double y = 0;
  double half_width = 0;
  double half_height = 0;
  light paint{};

  bool covers(double at_x, double at_y) const {
    const double dx = (at_x - x) / half_width;
    const double dy = (at_y - y) / half_height;
    return round ? dx * dx + dy * dy <= 1 : std::max(std::abs(dx), std::abs(dy)) <= 1;
  }
};

struct scene {
  light above{};  ///< the background turns from this to the other
  light below{};
  std::vector<shape> shapes;  ///< the last lies on top
};

light any_light(draws& draw) {
  return {255 * draw.uniform(), 255 * draw.uniform(), 255 * draw.uniform()};
}

scene compose(draws& draw) {
  scene made{any_light(draw), any_light(draw), {}};
  const std::size_t shapes = 3 + draw.below(5);
  for (std::size_t i = 0; i < shapes; ++i) {
    made.shapes.push_back({draw.uniform() < 0.5, draw.uniform(), draw.uniform(),
                           0.08 + 0.22 * draw.uniform(), 0.08 + 0.22 * draw.uniform(),
                           any_light(draw)});
  }
  return made;
}

/// The same scene as another camera sees it.
scene seen_again(scene from, draws& draw) {
  const double shift_x = 0.05 * (draw.uniform() - 0.5);
  const double shift_y = 0.05 * (draw.uniform() - 0.5);
  const double brightness = 0.94 + 0.12 * draw.uniform();
  const auto lit = [brightness](light& one) {
    for (double& part : one) part *= brightness;
  };
  lit(from.above);
  lit(from.below);
  for (shape& one : from.shapes) {
    one.x += shift_x;
    one.y += shift_y;
    lit(one.paint);
  }
  return from;
}

std::uint8_t as_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

}  // namespace

picture draw_scene(const scene_options& options, std::size_t family, std::size_t member) {
  constexpr double noise = 4;
  draws of_family(options.seed * 1000003 + family);
  const scene original = compose(of_family);
  draws of_member((options.seed * 1000003 + family) * 1000033 + member + 1);
  const scene shown = seen_again(original, of_member);

  picture made{options.width, options.height, std::vector<colour>(options.width * options.height)};
  for (std::size_t row = 0; row < made.height; ++row) {
    const double y = (static_cast<double>(row) + 0.5) / static_cast<double>(made.height);
    for (std::size_t column = 0; column < made.width; ++column) {
      const double x = (static_cast<double>(column) + 0.5) / static_cast<double>(made.width);
      light here{};
      for (std::size_t c = 0; c < 3; ++c) here[c] = (1 - y) * shown.above[c] + y * shown.below[c];
      for (const shape& one : shown.shapes) {
        if (one.covers(x, y)) here = one.paint;
      }
      const double grain = noise * static_cast<double>(of_member.normal());
      for (std::size_t c = 0; c < 3; ++c) made.at(column, row)[c] = as_byte(here[c] + grain);
    }
  }
  return made;
}

}  // namespace imgsearch
