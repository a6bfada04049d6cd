// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "vectors.hpp"

namespace bench {

using found_numbers = std::vector<std::vector<long>>;

/// An index to compare with. The vectors that it was made of must outlive it.
class other_index {
 public:
  virtual ~other_index() = default;
  /// How hard a search tries: lists to look into, candidates to keep.
  virtual void set_effort(std::size_t effort) = 0;
  /// The numbers of the k nearest of each query, in any order; on one thread.
  virtual found_numbers search(const vsearch::vector_set& queries, std::size_t k) = 0;
};

/// Null when this was built without it.
std::unique_ptr<other_index> make_faiss_ivf(const vsearch::vector_set& base, std::size_t lists);
std::unique_ptr<other_index> make_hnsw(const vsearch::vector_set& base);

}  // namespace bench
