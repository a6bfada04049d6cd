// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <numatch/numa.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "ivf_index.hpp"
#include "layouts.hpp"
#include "lsh_index.hpp"
#include "neighbours.hpp"
#include "vector_source.hpp"

namespace vsearch {

enum class index_kind { exact, lsh, ivf };
std::optional<index_kind> index_kind_named(std::string_view word);

struct engine_options : placing {
  index_kind index = index_kind::exact;
  lsh_parameters lsh;
  ivf_parameters ivf;
};

/// An index over some vectors, laid out in one of the ways.
class search_engine {
 public:
  using vector_searcher = searcher<std::span<const float>>;
  explicit search_engine(std::unique_ptr<vector_searcher> index) : index_(std::move(index)) {}
  answers search(const vector_set& queries, std::size_t k);

 private:
  std::unique_ptr<vector_searcher> index_;
};
std::unique_ptr<search_engine> make_engine(numatch::runtime& nodes, const vector_source& base,
                                           const engine_options& options);
inline std::unique_ptr<search_engine> make_engine(numatch::runtime& nodes, const vector_set& base,
                                                  const engine_options& options) {
  return make_engine(nodes, memory_source(base), options);
}

}  // namespace vsearch
