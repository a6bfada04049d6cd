// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/reference.hpp"

#include <limits>

#include "bench/mapping/annealer.hpp"

namespace numatch::bench {

namespace {

void keep_better(found_mapping& best, const annealer& search, std::string_view how) {
  const double cost = search.cost();
  // A longer sum in another order is not a better mapping.
  if (cost < best.cost * (1 - 1e-12)) best = {search.mapping(), cost, std::string(how)};
}

}  // namespace

found_mapping search_reference(const mapping_request& request, const search_effort& effort,
                               std::span<const thread_mapping> starts) {
  annealer search(request, effort.seed);
  found_mapping best{{}, std::numeric_limits<double>::infinity(), ""};
  for (const thread_mapping& start : starts) {
    search.place(start);
    keep_better(best, search, "start");
  }
  // Three fifths of the work from random placements, the rest around the best mapping.
  const std::uint64_t restarts = request.sharing.size() <= 128 ? 8 : 3;
  const std::uint64_t part = effort.proposals / (5 * restarts);
  search.place_at_random();
  const double usual = search.usual_change();
  for (std::uint64_t i = 0; i < restarts; ++i) {
    search.place_at_random();
    search.anneal(usual * 0.3, usual * 0.002, 3 * part);
    search.descend();
    keep_better(best, search, "annealing");
  }
  for (std::uint64_t i = 0; i < restarts; ++i) {
    search.place(best.mapping);
    search.anneal(usual * 0.06 / static_cast<double>(1 + i * i), usual * 0.001, 2 * part);
    search.descend();
    keep_better(best, search, "annealing");
  }
  return best;
}

}  // namespace numatch::bench
