// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "layouts.hpp"
#include "vectors.hpp"

namespace vsearch {

using found_numbers = std::vector<std::vector<long>>;

/// An index of another library, to compare with. The vectors that it was made of must outlive it.
class other_index {
 public:
  virtual ~other_index() = default;
  /// How hard a search tries: lists to look into, candidates to keep. An exact one does not care.
  virtual void set_effort(std::size_t effort) = 0;
  /// The numbers of the k nearest of each query, in any order.
  virtual found_numbers search(const vector_set& queries, std::size_t k) = 0;
};

// Each is null when this was built without the library. A search uses `threads` threads.

/// faiss, exact scan.
std::unique_ptr<other_index> make_faiss_flat(const vector_set& base, std::size_t threads);
/// faiss, IVF-flat; the effort is the number of lists to look into.
std::unique_ptr<other_index> make_faiss_ivf(const vector_set& base, std::size_t lists,
                                            std::size_t threads);
/// The same two in parts (faiss' IndexShards): a thread of its own for each part, which splits
/// its share of `threads` further, and merged answers; nothing says where a part's memory is. The
/// lists' centres are the same for all parts.
std::unique_ptr<other_index> make_faiss_flat_shards(const vector_set& base, std::size_t parts,
                                                    std::size_t threads);
std::unique_ptr<other_index> make_faiss_ivf_shards(const vector_set& base, std::size_t parts,
                                                   std::size_t lists, std::size_t threads);
/// hnswlib with M = 16; the effort is `ef`, the candidates that a search keeps.
std::unique_ptr<other_index> make_hnsw(const vector_set& base, std::size_t threads);

/// The share of the true neighbours' numbers that was found. Distances of other libraries need not
/// have the same last bit.
double recall_of(const found_numbers& found, const answers& truth);
/// Queries for which both found the same numbers, in whatever order.
std::size_t same_answers(found_numbers a, found_numbers b);
/// The numbers of our answers.
found_numbers numbers_of(const answers& found);

}  // namespace vsearch
