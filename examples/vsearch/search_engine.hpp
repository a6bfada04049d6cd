// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <numatch/numa.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "ivf_index.hpp"
#include "lsh_index.hpp"
#include "neighbours.hpp"
#include "vector_source.hpp"

namespace vsearch {

enum class index_kind { exact, lsh, ivf };
enum class layout {
  flat,         ///< one index, its pages where the thread that builds it runs (first touch)
  interleaved,  ///< one index, its pages on all nodes in turn
  replicated,   ///< the whole index on every node
  partitioned   ///< every part of the index on its node, every query to all parts
};
std::optional<index_kind> index_kind_named(std::string_view word);
std::optional<layout> layout_named(std::string_view word);

struct engine_options {
  index_kind index = index_kind::exact;
  layout how = layout::partitioned;
  std::size_t parts = 0;  ///< of a partitioned index; 0: one per node
  lsh_parameters lsh;
  ivf_parameters ivf;
};

using answers = std::vector<std::vector<neighbour>>;

/// An index over some vectors, laid out in one of the ways; whoever owns a part or a copy reads its
/// vectors. The answers are the same for all layouts and numbers of parts, to the bit.
class search_engine {
 public:
  virtual ~search_engine() = default;
  /// The nearest k of every query, in the order of the queries.
  virtual answers search(const vector_set& queries, std::size_t k) = 0;
};
std::unique_ptr<search_engine> make_engine(numatch::runtime& nodes, const vector_source& base,
                                           const engine_options& options);
inline std::unique_ptr<search_engine> make_engine(numatch::runtime& nodes, const vector_set& base,
                                                  const engine_options& options) {
  return make_engine(nodes, memory_source(base), options);
}

}  // namespace vsearch
