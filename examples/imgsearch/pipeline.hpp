// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <numatch/numa.hpp>
#include <vector>

#include "layouts.hpp"
#include "picture_index.hpp"
#include "picture_source.hpp"

namespace imgsearch {

struct pipeline_options : vsearch::placing {
  std::size_t batch = 64;  ///< queries that go through a stage together
  std::size_t k = 10;
  search_parameters search;
};

/// The stages of PARSEC's ferret: load, segment and extract run spread over all nodes' threads;
/// query and rank run where the index is; output in the order of the queries. A whole batch goes
/// through a stage before the next one begins, so a stage never waits for single queries and an
/// owner gets all queries of a batch with one dispatch.
class pipeline {
 public:
  pipeline(numatch::runtime& nodes, const picture_source& base, const pipeline_options& options);

  /// Calls `out(query's number, its answer)` for each query, in order, in the calling thread.
  using output = std::function<void(std::size_t, const std::vector<vsearch::neighbour>&)>;
  void search(const picture_source& queries, const output& out);

 private:
  std::vector<signature> described(const picture_source& queries, std::size_t first,
                                   std::size_t end);

  numatch::runtime& nodes_;
  pipeline_options options_;
  std::unique_ptr<vsearch::searcher<signature>> index_;
};

}  // namespace imgsearch
