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

/// More would be a mistake in a file.
inline constexpr std::int32_t most_dimensions = 1 << 20;

/// Which vectors of the whole data set some are: first, first + step, …
struct numbering {
  std::size_t first = 0;
  std::size_t step = 1;
};

/// Vectors of one dimension, one behind another. Their numbers are those of the whole data set,
/// also in a part of it.
class vector_set {
 public:
  explicit vector_set(std::size_t dimension, memory* from = std::pmr::get_default_resource(),
                      numbering numbers = {})
      : dimension_(dimension), numbers_(numbers), values_(from) {}

  std::size_t size() const { return values_.size() / dimension_; }
  std::size_t dimension() const { return dimension_; }
  std::span<const float> operator[](std::size_t i) const {
    return {values_.data() + i * dimension_, dimension_};
  }
  std::uint32_t number(std::size_t i) const {
    return static_cast<std::uint32_t>(numbers_.first + i * numbers_.step);
  }
  void add(std::span<const float> vector) {
    values_.insert(values_.end(), vector.begin(), vector.end());
  }
  void reserve(std::size_t count) { values_.reserve(count * dimension_); }

 private:
  std::size_t dimension_;
  numbering numbers_;
  std::pmr::vector<float> values_;
};

/// Squared Euclidean distance; the same bits for the same two vectors, wherever they lie.
float distance(std::span<const float> a, std::span<const float> b);
/// Scalar product, in the same way.
float product(std::span<const float> a, std::span<const float> b);

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
