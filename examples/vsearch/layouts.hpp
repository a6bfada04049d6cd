// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <numatch/numa.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "neighbours.hpp"

namespace vsearch {

enum class layout {
  flat,         ///< one index, its pages where the thread that builds it runs (first touch)
  interleaved,  ///< one index, its pages on all nodes in turn
  replicated,   ///< the whole index on every node
  partitioned   ///< every part of the index on its node, every query to all parts
};
std::optional<layout> layout_named(std::string_view word);

struct placing {
  layout how = layout::partitioned;
  std::size_t parts = 0;  ///< of a partitioned index; 0: one per node
};

using answers = std::vector<std::vector<neighbour>>;

/// An index that is laid out in one of the ways; whoever owns a part or a copy reads what is in it.
/// The answers are the same for all layouts and numbers of parts, to the bit.
template <class Query>
class searcher {
 public:
  virtual ~searcher() = default;
  /// The nearest k of every query, in the order of the queries.
  virtual answers search(std::span<const Query> queries, std::size_t k) = 0;
};

namespace layouts {

using memory = std::pmr::memory_resource;

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
template <class Index, class Query>
class one : public searcher<Query> {
 public:
  template <class Source>
  one(numatch::runtime& nodes, const Source& source, const typename Index::shared& learned,
      bool interleaved)
      : nodes_(nodes),
        pages_(nodes.machine()),
        pool_(interleaved ? static_cast<memory*>(&pages_) : std::pmr::get_default_resource()),
        learned_(learned),
        index_(learned_, source.slice(0, 1, &pool_), &pool_) {}
  answers search(std::span<const Query> queries, std::size_t k) override {
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

template <class Index, class Query>
class replicated : public searcher<Query> {
 public:
  template <class Source>
  replicated(numatch::runtime& nodes, const Source& source, const typename Index::shared& learned)
      : nodes_(nodes), learned_(nodes, learned), index_(nodes, [&](std::size_t, memory* from) {
          return Index(*learned_.snapshot(), source.slice(0, 1, from), from);
        }) {}
  answers search(std::span<const Query> queries, std::size_t k) override {
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

template <class Index, class Query>
class partitioned : public searcher<Query> {
 public:
  template <class Source>
  partitioned(numatch::runtime& nodes, const Source& source, const typename Index::shared& learned,
              std::size_t parts)
      : nodes_(nodes),
        learned_(nodes, learned),
        index_(nodes, parts, [&](std::size_t part, memory* from) {
          return Index(*learned_.snapshot(), source.slice(part, parts, from), from);
        }) {}
  answers search(std::span<const Query> queries, std::size_t k) override {
    // What is the same for all parts is done once per query, by all nodes together.
    std::vector<ready_query> ready(queries.size());
    for_each_query(
        nodes_, queries.size(), [this] { return learned_.snapshot(); },
        [&](const typename Index::shared& learned, std::size_t q) {
          ready[q] = {&queries[q], Index::prepare(learned, queries[q])};
        });
    return index_.map_reduce_batch(
        ready,
        [k](const Index& part, const ready_query& query) {
          return part.search(query.prepared, *query.asked, k);
        },
        [k](const std::vector<neighbour>& a, const std::vector<neighbour>& b) {
          return merge_nearest(a, b, k);
        });
  }

 private:
  struct ready_query {
    const Query* asked = nullptr;
    typename Index::prepared prepared;
  };
  numatch::runtime& nodes_;
  numatch::replicated<typename Index::shared> learned_;
  numatch::partitioned<Index> index_;
};

}  // namespace layouts

/// An Index over what `source.slice(part, parts, memory)` gives, called by the owner of a part or
/// copy. `learned` is what all parts share; Index::prepare(learned, query) is what is known of a
/// query before it is sent to the parts.
template <class Index, class Query, class Source>
std::unique_ptr<searcher<Query>> lay_out(numatch::runtime& nodes, const placing& where,
                                         const typename Index::shared& learned,
                                         const Source& source) {
  switch (where.how) {
    case layout::flat:
    case layout::interleaved:
      return std::make_unique<layouts::one<Index, Query>>(nodes, source, learned,
                                                          where.how == layout::interleaved);
    case layout::replicated:
      return std::make_unique<layouts::replicated<Index, Query>>(nodes, source, learned);
    case layout::partitioned:
      break;
  }
  return std::make_unique<layouts::partitioned<Index, Query>>(
      nodes, source, learned, where.parts > 0 ? where.parts : nodes.size());
}

}  // namespace vsearch
