// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace imgsearch {

using colour = std::array<std::uint8_t, 3>;  ///< red, green, blue

/// Pixels in rows from the top, each row from the left.
struct picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<colour> pixels;

  const colour& at(std::size_t x, std::size_t y) const { return pixels[y * width + x]; }
  colour& at(std::size_t x, std::size_t y) { return pixels[y * width + x]; }
};

/// A PNG, or a PPM of the kind P6 with 255 as its largest value. Throws std::runtime_error with the
/// file and what is wrong with it.
picture read_picture(const std::filesystem::path& path);
void write_ppm(const picture& from, const std::filesystem::path& path);

/// The PNG and PPM files of a folder, in the order of their names. Throws std::runtime_error when
/// it cannot be read or has none.
std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder);

}  // namespace imgsearch
