// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "neighbours.hpp"
#include "vector_source.hpp"

namespace vsearch {

struct ivf_parameters {
  std::size_t lists = 256;
  std::size_t probes = 16;  ///< lists that a search looks into
  std::size_t rounds = 10;  ///< of k-means
  std::size_t sample = 64;  ///< vectors per list that k-means learns from
  std::uint64_t seed = 1;
};

/// The centres of the lists. Parts that share them split exactly.
class ivf_centres {
 public:
  /// k-means (Lloyd) over a sample of the vectors.
  ivf_centres(const vector_source& vectors, const ivf_parameters& parameters, memory* from);
  ivf_centres(const ivf_centres& other, std::pmr::polymorphic_allocator<> from);
  using allocator_type = std::pmr::polymorphic_allocator<>;

  const ivf_parameters& parameters() const { return parameters_; }
  std::size_t nearest_to(std::span<const float> vector) const;
  /// The lists that a search looks into, the nearest first.
  std::vector<std::uint32_t> probes_of(std::span<const float> query) const;
  std::size_t size() const { return parameters_.lists; }

 private:
  std::span<const float> centre(std::size_t i) const {
    return {values_.data() + i * dimension_, dimension_};
  }
  ivf_parameters parameters_;
  std::size_t dimension_;
  std::pmr::vector<float> values_;
};

/// An inverted file: the vectors around each centre lie together, and a search looks into the lists
/// of the centres that are nearest to the query (IVF-flat).
class ivf_index {
 public:
  using shared = ivf_centres;
  using prepared = std::vector<std::uint32_t>;  ///< lists to look into
  static prepared prepare(const ivf_centres& centres, std::span<const float> query) {
    return centres.probes_of(query);
  }

  ivf_index(const ivf_centres& centres, const vector_set& vectors, memory* from);
  std::vector<neighbour> search(const prepared& lists, std::span<const float> query,
                                std::size_t k) const;

 private:
  std::size_t dimension_;
  std::pmr::vector<std::uint32_t> starts_;   // of list l; one more at the end
  std::pmr::vector<std::uint32_t> numbers_;  // of the vectors, list by list
  std::pmr::vector<float> values_;
};

}  // namespace vsearch
