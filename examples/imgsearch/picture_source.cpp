// SPDX-License-Identifier: Apache-2.0
#include "picture_source.hpp"

namespace imgsearch {

signature picture_source::described(std::size_t number) const {
  const picture loaded = load(number);
  return describe(loaded, segment(loaded));
}

collection picture_source::slice(std::size_t part, std::size_t parts, memory* from) const {
  collection made(from, {part, parts});
  for (std::size_t i = part; i < size(); i += parts) made.add(described(i));
  return made;
}

std::string picture_files::name(std::size_t number) const {
  return files_[number].filename().string();
}

picture picture_files::load(std::size_t number) const {
  return read_picture(files_[number]);
}

std::string drawn_scenes::name(std::size_t number) const {
  return "scene-" + std::to_string(family(number)) + '-' +
         std::to_string(first_ + number % members_);
}

picture drawn_scenes::load(std::size_t number) const {
  return draw_scene(options_, family(number), first_ + number % members_);
}

}  // namespace imgsearch
