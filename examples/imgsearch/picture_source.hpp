// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "collection.hpp"
#include "scenes.hpp"

namespace imgsearch {

/// Where pictures come from. Whoever owns a part loads, segments and describes its pictures itself.
/// Thread safe.
class picture_source {
 public:
  virtual ~picture_source() = default;
  virtual std::size_t size() const = 0;
  virtual std::string name(std::size_t number) const = 0;
  /// Throws std::runtime_error when it cannot be had.
  virtual picture load(std::size_t number) const = 0;

  signature described(std::size_t number) const;
  /// Pictures part, part + parts, ... described in memory of `from`.
  collection slice(std::size_t part, std::size_t parts, memory* from) const;
};

class picture_files : public picture_source {
 public:
  explicit picture_files(std::vector<std::filesystem::path> files) : files_(std::move(files)) {}
  std::size_t size() const override { return files_.size(); }
  std::string name(std::size_t number) const override;
  picture load(std::size_t number) const override;

 private:
  std::vector<std::filesystem::path> files_;
};

/// Some members of each family of scenes, family by family.
class drawn_scenes : public picture_source {
 public:
  drawn_scenes(const scene_options& options, std::size_t families, std::size_t first_member,
               std::size_t members)
      : options_(options), families_(families), first_(first_member), members_(members) {}
  std::size_t size() const override { return families_ * members_; }
  std::size_t family(std::size_t number) const { return number / members_; }
  std::string name(std::size_t number) const override;
  picture load(std::size_t number) const override;

 private:
  scene_options options_;
  std::size_t families_;
  std::size_t first_;
  std::size_t members_;
};

}  // namespace imgsearch
