// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "vectors.hpp"

namespace vsearch {

/// Where vectors come from. An owner reads its part by itself, so that nobody loads everything and
/// hands it out. Thread safe.
class vector_source {
 public:
  virtual ~vector_source() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t dimension() const = 0;
  /// One vector; throws std::runtime_error when it cannot be read.
  virtual void read(std::size_t number, std::span<float> into) const = 0;

  /// Vectors part, part + parts, … in memory of `from`.
  vector_set slice(std::size_t part, std::size_t parts, memory* from) const;
};

/// Vectors that are in memory already; they must outlive it.
class memory_source : public vector_source {
 public:
  explicit memory_source(const vector_set& vectors) : vectors_(vectors) {}
  std::size_t size() const override { return vectors_.size(); }
  std::size_t dimension() const override { return vectors_.dimension(); }
  void read(std::size_t number, std::span<float> into) const override;

 private:
  const vector_set& vectors_;
};

/// Vectors at equal distances in a file.
class file_source : public vector_source {
 public:
  struct layout {
    std::size_t vectors = 0;
    std::size_t dimension = 0;
    std::uint64_t first = 0;         ///< byte of the first value
    std::uint64_t stride = 0;        ///< bytes from one vector to the next
    bool repeats_dimension = false;  ///< before each vector stands an int32 with its dimension
  };
  file_source(std::filesystem::path path, const layout& where);
  ~file_source() override;
  file_source(const file_source&) = delete;
  file_source& operator=(const file_source&) = delete;

  std::size_t size() const override { return where_.vectors; }
  std::size_t dimension() const override { return where_.dimension; }
  void read(std::size_t number, std::span<float> into) const override;

 private:
  void read_bytes(std::uint64_t at, std::span<std::byte> into) const;
  std::filesystem::path path_;
  layout where_;
  int file_ = -1;
};

/// An fvecs file, read as it is needed. Throws std::runtime_error when it is none.
std::unique_ptr<vector_source> open_fvecs(const std::filesystem::path& path);

}  // namespace vsearch
