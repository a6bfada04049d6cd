// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory_resource>
#include <span>
#include <vector>

namespace vsearch {

using memory = std::pmr::memory_resource;

/// Vectors of one dimension, one behind another. Their numbers are those of the whole data set,
/// also in a part of it: vector i of a slice is vector `first + i * step`.
class vector_set {
 public:
  explicit vector_set(std::size_t dimension, memory* from = std::pmr::get_default_resource())
      : dimension_(dimension), values_(from) {}

  std::size_t size() const { return values_.size() / dimension_; }
  std::size_t dimension() const { return dimension_; }
  std::span<const float> operator[](std::size_t i) const {
    return {values_.data() + i * dimension_, dimension_};
  }
  std::uint32_t number(std::size_t i) const {
    return static_cast<std::uint32_t>(first_ + i * step_);
  }
  void add(std::span<const float> vector) {
    values_.insert(values_.end(), vector.begin(), vector.end());
  }
  void reserve(std::size_t count) { values_.reserve(count * dimension_); }

  /// Vectors part, part + parts, … copied into `from`.
  vector_set slice(std::size_t part, std::size_t parts, memory* from) const;

 private:
  std::size_t dimension_;
  std::size_t first_ = 0;
  std::size_t step_ = 1;
  std::pmr::vector<float> values_;
};

/// Squared Euclidean distance; the same bits for the same two vectors, wherever they lie.
float distance(std::span<const float> a, std::span<const float> b);

struct made_data {
  vector_set base;
  vector_set queries;
};
/// Descriptors as pictures give them: Gaussian clusters in 16 dimensions, turned into `dimension`,
/// in 0…255. The same seed gives the same vectors on every machine.
made_data generate(std::size_t base, std::size_t queries, std::size_t dimension,
                   std::uint64_t seed);

/// The fvecs format of INRIA's TEXMEX: per vector an int32 with the dimension and as many floats.
/// Throws std::runtime_error with the place of the damage.
vector_set read_fvecs(const std::filesystem::path& path);
void write_fvecs(const vector_set& vectors, const std::filesystem::path& path);
/// The same with int32 values: the numbers of the true neighbours of each query.
std::vector<std::vector<std::uint32_t>> read_ivecs(const std::filesystem::path& path);

}  // namespace vsearch
