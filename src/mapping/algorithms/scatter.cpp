// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "mapping/placing.hpp"

namespace numatch {

namespace {

/// Threads in order on PUs that lie as far apart as possible: the child of the root changes with
/// every thread, the deeper levels ever more slowly.
result<thread_mapping> map_scatter(const mapping_request& request) {
  const pu_tree tree(request.machine, request.allowed);
  std::vector<std::uint32_t> order(tree.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::vector<unsigned>& way_a = request.machine.path(tree.pu(a));
    const std::vector<unsigned>& way_b = request.machine.path(tree.pu(b));
    return std::lexicographical_compare(way_a.rbegin(), way_a.rend(), way_b.rbegin(), way_b.rend());
  });
  std::vector<placing_wish> wishes;
  for (std::uint32_t t = 0; t < request.sharing.size(); ++t) {
    wishes.push_back({t, t % order.size()});
  }
  return place_in_turn(request, tree, limits_of(request, tree), order, wishes);
}

}  // namespace

extern const mapping_algorithm scatter_algorithm{
    "scatter", "threads in order on PUs as far apart as possible: every node gets its share",
    map_scatter};

}  // namespace numatch
