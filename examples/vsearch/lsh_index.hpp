// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "neighbours.hpp"
#include "vectors.hpp"

namespace vsearch {

struct lsh_parameters {
  std::size_t tables = 8;      ///< L
  std::size_t functions = 12;  ///< M, per table
  float width = 900;           ///< W, of a slot
  std::size_t probes = 60;     ///< T, beside the query's own bucket
  std::uint64_t seed = 1;
};

/// The hash functions floor((a·v + b) / W) of all tables. Parts that share them split exactly: the
/// union of their buckets is the bucket of the whole.
class lsh_family {
 public:
  lsh_family(std::size_t dimension, const lsh_parameters& parameters, memory* from);
  lsh_family(const lsh_family& other, std::pmr::polymorphic_allocator<> from);
  using allocator_type = std::pmr::polymorphic_allocator<>;

  const lsh_parameters& parameters() const { return parameters_; }
  /// (a·v + b) / W for the functions of one table.
  void project(std::size_t table, std::span<const float> vector, std::span<float> into) const;
  /// The bucket of some slots.
  static std::uint64_t key(std::span<const std::int32_t> slots);

 private:
  std::size_t dimension_;
  lsh_parameters parameters_;
  std::pmr::vector<float> directions_;  // table × function × dimension
  std::pmr::vector<float> offsets_;     // table × function
};

/// Multi-probe locality-sensitive hashing (Lv et al., VLDB 2007): finds the nearest with high
/// probability by looking at a few thousand candidates.
class lsh_index {
 public:
  using shared = lsh_family;
  /// The buckets to look into: those of table t end at ends[t].
  struct prepared {
    std::vector<std::uint64_t> keys;
    std::vector<std::size_t> ends;
  };
  static prepared prepare(const lsh_family& family, std::span<const float> query);

  lsh_index(const lsh_family& family, vector_set vectors, memory* from);
  std::vector<neighbour> search(const prepared& buckets, std::span<const float> query,
                                std::size_t k) const;
  /// The vectors that lie within `farthest` (squared) of the query, among those in its buckets:
  /// their places in vectors().
  std::vector<std::uint32_t> within(const prepared& buckets, std::span<const float> query,
                                    float farthest) const;
  const vector_set& vectors() const { return vectors_; }

 private:
  template <class Visit>
  void for_each_candidate(const prepared& buckets, Visit visit) const;
  using entry = std::pair<std::uint64_t, std::uint32_t>;  ///< key of a bucket, member
  /// Buckets in the order of their keys; bucket b holds members[starts[b]] …
  /// members[starts[b+1]-1].
  struct table {
    explicit table(memory* from) : keys(from), starts(from), members(from) {}
    std::pmr::vector<std::uint64_t> keys;
    std::pmr::vector<std::uint32_t> starts;
    std::pmr::vector<std::uint32_t> members;
    std::span<const std::uint32_t> bucket(std::uint64_t key) const;
    void fill(const std::vector<entry>& sorted);
  };

  vector_set vectors_;
  std::pmr::vector<table> tables_;
};

}  // namespace vsearch
