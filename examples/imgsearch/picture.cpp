// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <png.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

namespace imgsearch {
namespace {

/// So that a damaged header does not ask for all memory.
constexpr std::size_t most_pixels = std::size_t{1} << 28;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error(path.string() + ": " + why);
}

picture blank(const std::filesystem::path& path, std::size_t width, std::size_t height) {
  if (width == 0 || height == 0 || width > most_pixels / height) {
    refuse(path, "a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                     " pixels is not supported");
  }
  return {width, height, std::vector<colour>(width * height)};
}

/// The next number of a PPM's header; a line that starts with # is a comment.
std::size_t header_number(std::istream& file, const std::filesystem::path& path) {
  while ((file >> std::ws) && file.peek() == '#') {
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  std::size_t value = 0;
  if (!(file >> value)) refuse(path, "its header ends early");
  return value;
}

picture read_ppm(std::istream& file, const std::filesystem::path& path) {
  file.ignore(2);
  const std::size_t width = header_number(file, path);
  const std::size_t height = header_number(file, path);
  if (header_number(file, path) != 255) refuse(path, "only PPM files with 255 as maximum are read");
  file.ignore(1);
  picture made = blank(path, width, height);
  file.read(reinterpret_cast<char*>(made.pixels.data()),
            static_cast<std::streamsize>(made.pixels.size() * sizeof(colour)));
  if (!file) {
    refuse(path, "it ends after " + std::to_string(file.gcount()) + " of " +
                     std::to_string(made.pixels.size() * sizeof(colour)) + " bytes of pixels");
  }
  return made;
}

picture read_png(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) refuse(path, image.message);
  image.format = PNG_FORMAT_RGB;
  picture made;
  try {
    made = blank(path, image.width, image.height);
  } catch (...) {
    png_image_free(&image);
    throw;
  }
  const png_color black{0, 0, 0};  // what shows through
  if (png_image_finish_read(&image, &black, made.pixels.data(), 0, nullptr) == 0) {
    refuse(path, image.message);
  }
  return made;
}

}  // namespace

picture read_picture(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "it cannot be opened");
  std::array<char, 2> start{};
  file.read(start.data(), start.size());
  file.seekg(0);
  if (start == std::array<char, 2>{'P', '6'}) return read_ppm(file, path);
  if (start[0] == '\x89' && start[1] == 'P') return read_png(path);
  refuse(path, "it is neither a PNG nor a PPM (P6)");
}

void write_ppm(const picture& from, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << from.width << ' ' << from.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(from.pixels.data()),
             static_cast<std::streamsize>(from.pixels.size() * sizeof(colour)));
  file.close();
  if (!file) refuse(path, "it cannot be written");
}

std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder) {
  std::error_code problem;
  std::vector<std::filesystem::path> found;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator(folder, problem)) {
    const std::string kind = entry.path().extension().string();
    if (kind == ".png" || kind == ".ppm") found.push_back(entry.path());
  }
  if (problem) refuse(folder, problem.message());
  if (found.empty()) refuse(folder, "it has no .png and no .ppm file");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace imgsearch
