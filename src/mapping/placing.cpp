// SPDX-License-Identifier: Apache-2.0
#include "mapping/placing.hpp"

#include "mapping/group_loads.hpp"
#include "mapping/leaf_mapping.hpp"

namespace numatch {

thread_mapping place_in_turn(const mapping_request& request, const pu_tree& tree,
                             const load_limits& limits, std::span<const std::uint32_t> order,
                             std::span<const placing_wish> wishes) {
  std::vector<std::uint32_t> leaf_of(wishes.size(), pu_tree::no_leaf);
  const auto weight = [&](std::size_t t) {
    return request.weights.empty() ? 1 : request.weights[t];
  };
  group_loads loads(tree);
  for (std::size_t t = 0; t < request.pinned.size(); ++t) {
    if (!request.pinned[t]) continue;
    leaf_of[t] = tree.leaf_of(*request.pinned[t]);
    loads.add(leaf_of[t], weight(t));
  }
  for (const placing_wish& wish : wishes) {
    if (leaf_of[wish.thread] != pu_tree::no_leaf) continue;
    std::size_t tried = 0;
    const auto leaf_at = [&] { return order[(wish.position + tried) % order.size()]; };
    while (tried < order.size() && !loads.has_room(limits, leaf_at(), weight(wish.thread))) ++tried;
    if (tried == order.size()) return pus_of(limits.witness, tree);
    leaf_of[wish.thread] = leaf_at();
    loads.add(leaf_of[wish.thread], weight(wish.thread));
  }
  return pus_of(leaf_of, tree);
}

}  // namespace numatch
