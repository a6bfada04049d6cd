// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "mapping/placing.hpp"

namespace numatch {

namespace {

/// Threads in order on PUs in order; with more threads than PUs, neighbours share a PU.
result<thread_mapping> map_compact(const mapping_request& request) {
  const pu_tree tree(request.machine, request.allowed);
  const std::size_t threads = request.sharing.size();
  const std::size_t pus = tree.size();
  std::vector<std::uint32_t> order(pus);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<placing_wish> wishes;
  for (std::uint32_t t = 0; t < threads; ++t) {
    wishes.push_back({t, threads <= pus ? t : t * pus / threads});
  }
  return place_in_turn(request, tree, limits_of(request, tree), order, wishes);
}

}  // namespace

extern const mapping_algorithm compact_algorithm{
    "compact", "threads in order on PUs in order: neighbours stay close, nodes fill up one by one",
    map_compact};

}  // namespace numatch
