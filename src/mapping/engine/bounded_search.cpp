// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/bounded_search.hpp"

#include <algorithm>
#include <array>

#include "mapping/engine/flexible_search.hpp"

namespace numatch::engine {

bounded_answer search_bounded(const mapping_request& request, const pu_tree& tree,
                              const load_limits& limits, std::span<const std::uint32_t> leaf_of,
                              std::uint64_t proposals, const work_limits& work,
                              random_source& random) {
  bounded_answer best{{leaf_of.begin(), leaf_of.end()}, 0};
  const std::uint64_t threads = request.sharing.size();
  flexible_search search(request, tree, limits);
  if (search.work_of_change() * threads > work.tables) return best;
  search.start(leaf_of);
  search.descend(work.descent);
  const auto keep = [&] {
    best.leaf_of.assign(search.leaf_of().begin(), search.leaf_of().end());
    best.work = search.work();
  };
  keep();
  double least = search.objective();
  const std::uint64_t allowed =
      std::min(proposals * threads, work.annealing / search.work_of_change());
  if (allowed < threads || search.mean_cost() <= 0) return best;
  constexpr std::array<double, work_limits::rounds> heats = {1.0, 0.2};
  for (const double heat : heats) {
    search.start(best.leaf_of);
    const double mean = search.mean_cost();
    search.anneal(allowed, heat * mean, 0.03 * mean, random);
    search.descend(work.descent);
    if (search.objective() < least) {
      least = search.objective();
      keep();
    }
  }
  best.work = search.work();
  return best;
}

bounded_answer best_descent(const mapping_request& request, const pu_tree& tree,
                            const load_limits& limits, unsigned starts,
                            const std::function<std::vector<std::uint32_t>()>& next,
                            const work_limits& work) {
  bounded_answer best{next(), 0};
  flexible_search search(request, tree, limits);
  if (search.work_of_change() * request.sharing.size() > work.tables) return best;
  double least = 0;
  for (unsigned s = 0; s < starts && (s == 0 || search.work() < work.descent); ++s) {
    search.start(s == 0 ? best.leaf_of : next());
    search.descend(work.descent);
    if (s > 0 && search.objective() >= least) continue;
    least = search.objective();
    best.leaf_of.assign(search.leaf_of().begin(), search.leaf_of().end());
  }
  best.work = search.work();
  return best;
}

}  // namespace numatch::engine
