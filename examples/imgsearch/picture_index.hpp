// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collection.hpp"
#include "lsh_index.hpp"
#include "neighbours.hpp"

namespace imgsearch {

/// How pictures are found: a picture is a candidate when one of its segments lies within `radius`
/// of one of the query's and multi-probe LSH sees it; the candidates are ranked by the earth
/// mover's distance of all segments, where no way counts more than `farthest`.
struct search_parameters {
  float radius = 50;
  float farthest = 160;
  vsearch::lsh_parameters lsh{8, 8, 120, 20, 1};
};

/// What all parts of an index share.
struct search_rules {
  search_rules(const search_parameters& chosen, memory* from)
      : parameters(chosen), family(features, chosen.lsh, from) {}
  search_rules(const search_rules& other, std::pmr::polymorphic_allocator<> from)
      : parameters(other.parameters), family(other.family, from) {}
  using allocator_type = std::pmr::polymorphic_allocator<>;

  search_parameters parameters;
  vsearch::lsh_family family;
};

/// The pictures of a collection, or of one part of it. Whether a picture is a candidate and what
/// its distance is does not depend on the others, so the answers of parts merge into that of the
/// whole.
class picture_index {
 public:
  using shared = search_rules;
  /// The buckets to look into, for each segment of a query.
  using prepared = std::vector<vsearch::lsh_index::prepared>;
  static prepared prepare(const search_rules& rules, const signature& query);

  picture_index(const search_rules& rules, collection pictures, memory* from);
  /// The nearest k pictures; `distance` is the earth mover's.
  std::vector<vsearch::neighbour> search(const prepared& buckets, const signature& query,
                                         std::size_t k) const;
  /// The same with every picture as a candidate: the truth.
  std::vector<vsearch::neighbour> search_all(const signature& query, std::size_t k) const;

 private:
  float distance_to(const signature& query, std::size_t picture) const;

  float radius_;
  float farthest_;
  collection pictures_;
  std::pmr::vector<std::uint32_t> picture_of_;  // of each segment
  vsearch::lsh_index segments_;
};

}  // namespace imgsearch
