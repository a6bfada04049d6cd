// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "neighbours.hpp"
#include "vectors.hpp"

namespace vsearch {

/// Looks at every vector: the truth, and what brute force costs.
class exact_index {
 public:
  /// What all parts have in common, and what is known of a query before it is sent: nothing.
  struct shared {};
  struct prepared {};
  static prepared prepare(const shared&, std::span<const float>) { return {}; }

  exact_index(const shared&, vector_set vectors, memory*) : vectors_(std::move(vectors)) {}
  std::vector<neighbour> search(const prepared&, std::span<const float> query,
                                std::size_t k) const {
    nearest best(k);
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
      best.offer({distance(query, vectors_[i]), vectors_.number(i)});
    }
    return std::move(best).sorted();
  }

 private:
  vector_set vectors_;
};

}  // namespace vsearch
