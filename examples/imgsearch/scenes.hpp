// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "picture.hpp"

namespace imgsearch {

/// Pictures that come in families: a family is a scene of a background and some coloured shapes,
/// and its members show it from slightly other places, in other light and with noise.
struct scene_options {
  std::size_t width = 96;
  std::size_t height = 72;
  std::uint64_t seed = 1;
};

/// Member `member` of a family. The same numbers give the same picture on every machine.
picture draw_scene(const scene_options& options, std::size_t family, std::size_t member);

}  // namespace imgsearch
