// SPDX-License-Identifier: Apache-2.0
#include "search_engine.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "exact_index.hpp"

namespace vsearch {

std::optional<index_kind> index_kind_named(std::string_view word) {
  if (word == "exact") return index_kind::exact;
  if (word == "lsh") return index_kind::lsh;
  if (word == "ivf") return index_kind::ivf;
  return std::nullopt;
}

std::optional<layout> layout_named(std::string_view word) {
  if (word == "flat") return layout::flat;
  if (word == "interleaved") return layout::interleaved;
  if (word == "replicated") return layout::replicated;
  if (word == "partitioned") return layout::partitioned;
  return std::nullopt;
}

namespace {

/// Spreads the queries over the nodes and their threads: answer(here, number) for each of them;
/// `what_is_here()` is asked once on every node.
template <class WhatIsHere, class Answer>
void for_each_query(numatch::runtime& nodes, std::size_t queries, WhatIsHere what_is_here,
                    Answer answer) {
  nodes.for_each_node([&](std::size_t node) {
    const std::size_t first = node * queries / nodes.size();
    const std::size_t end = (node + 1) * queries / nodes.size();
    const auto here = what_is_here();
    nodes.for_each_here(end - first, 1, [&](std::size_t i) { answer(*here, first + i); });
  });
}

/// One index for all.
template <class Index>
class one_index : public search_engine {
 public:
  one_index(numatch::runtime& nodes, const vector_source& base,
            const typename Index::shared& learned, bool interleaved)
      : nodes_(nodes),
        pages_(nodes.machine()),
        pool_(interleaved ? static_cast<memory*>(&pages_) : std::pmr::get_default_resource()),
        learned_(learned),
        index_(learned_, base.slice(0, 1, &pool_), &pool_) {}
  answers search(const vector_set& queries, std::size_t k) override {
    answers found(queries.size());
    for_each_query(
        nodes_, queries.size(), [this] { return &index_; },
        [&](const Index& index, std::size_t q) {
          found[q] = index.search(Index::prepare(learned_, queries[q]), queries[q], k);
        });
    return found;
  }

 private:
  numatch::runtime& nodes_;
  numatch::interleaved_resource pages_;
  std::pmr::unsynchronized_pool_resource pool_;
  const typename Index::shared learned_;
  const Index index_;
};

template <class Index>
class replicated_index : public search_engine {
 public:
  replicated_index(numatch::runtime& nodes, const vector_source& base,
                   const typename Index::shared& learned)
      : nodes_(nodes), learned_(nodes, learned), index_(nodes, [&](std::size_t, memory* from) {
          return Index(*learned_.snapshot(), base.slice(0, 1, from), from);
        }) {}
  answers search(const vector_set& queries, std::size_t k) override {
    answers found(queries.size());
    for_each_query(
        nodes_, queries.size(),
        [this] { return std::optional(std::pair(learned_.snapshot(), index_.snapshot())); },
        [&](const auto& here, std::size_t q) {
          const auto& [learned, index] = here;
          found[q] = index->search(Index::prepare(*learned, queries[q]), queries[q], k);
        });
    return found;
  }

 private:
  numatch::runtime& nodes_;
  numatch::replicated<typename Index::shared> learned_;
  numatch::replicated<Index> index_;
};

template <class Index>
class partitioned_index : public search_engine {
 public:
  partitioned_index(numatch::runtime& nodes, const vector_source& base,
                    const typename Index::shared& learned, std::size_t parts)
      : nodes_(nodes),
        learned_(nodes, learned),
        index_(nodes, parts, [&](std::size_t part, memory* from) {
          return Index(*learned_.snapshot(), base.slice(part, parts, from), from);
        }) {}
  answers search(const vector_set& queries, std::size_t k) override {
    // What is the same for all parts is done once per query, by all nodes together.
    std::vector<ready_query> ready(queries.size());
    for_each_query(
        nodes_, queries.size(), [this] { return learned_.snapshot(); },
        [&](const typename Index::shared& learned, std::size_t q) {
          ready[q] = {queries[q], Index::prepare(learned, queries[q])};
        });
    return index_.map_reduce_batch(
        ready,
        [k](const Index& part, const ready_query& query) {
          return part.search(query.what, query.vector, k);
        },
        [k](const std::vector<neighbour>& a, const std::vector<neighbour>& b) {
          return merge_nearest(a, b, k);
        });
  }

 private:
  struct ready_query {
    std::span<const float> vector;
    typename Index::prepared what;
  };
  numatch::runtime& nodes_;
  numatch::replicated<typename Index::shared> learned_;
  numatch::partitioned<Index> index_;
};

template <class Index>
std::unique_ptr<search_engine> laid_out(numatch::runtime& nodes, const vector_source& base,
                                        const engine_options& options,
                                        const typename Index::shared& learned) {
  switch (options.how) {
    case layout::flat:
    case layout::interleaved:
      return std::make_unique<one_index<Index>>(nodes, base, learned,
                                                options.how == layout::interleaved);
    case layout::replicated:
      return std::make_unique<replicated_index<Index>>(nodes, base, learned);
    case layout::partitioned:
      break;
  }
  return std::make_unique<partitioned_index<Index>>(
      nodes, base, learned, options.parts > 0 ? options.parts : nodes.size());
}

}  // namespace

std::unique_ptr<search_engine> make_engine(numatch::runtime& nodes, const vector_source& base,
                                           const engine_options& options) {
  memory* const ordinary = std::pmr::get_default_resource();
  switch (options.index) {
    case index_kind::lsh:
      return laid_out<lsh_index>(nodes, base, options,
                                 lsh_family(base.dimension(), options.lsh, ordinary));
    case index_kind::ivf:
      return laid_out<ivf_index>(nodes, base, options, ivf_centres(base, options.ivf, ordinary));
    case index_kind::exact:
      break;
  }
  return laid_out<exact_index>(nodes, base, options, {});
}

}  // namespace vsearch
