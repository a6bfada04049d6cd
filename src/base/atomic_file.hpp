// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace numatch {

/// An output file that appears whole or not at all: bytes go to a hidden file beside the target,
/// commit() makes them durable and renames; without commit() nothing is left behind.
/// "-" is not special here. Not thread safe.
class atomic_file {
 public:
  static result<atomic_file> create(std::filesystem::path target);
  atomic_file(atomic_file&& other) noexcept;
  atomic_file& operator=(atomic_file&& other) noexcept;
  ~atomic_file();

  result<void> write(std::string_view bytes);
  result<void> commit();
  /// The hidden file, for a library that writes by name (SQLite).
  const std::filesystem::path& temporary_path() const { return temporary_; }
  int descriptor() const { return descriptor_; }

 private:
  atomic_file() = default;
  void abandon() noexcept;
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

/// A whole text at once.
result<void> write_file(const std::filesystem::path& target, std::string_view text);

/// A whole regular file; a directory, a missing file and one over `limit` bytes are errors.
result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t limit = std::size_t{1} << 30);

}  // namespace numatch
