// SPDX-License-Identifier: Apache-2.0
#include "mechanism/oracle_pairs.hpp"

#include <algorithm>
#include <tuple>

namespace numatch::oracle {

namespace {

/// Joins the pieces of equal (granule, thread), which are neighbours after sorting.
void join_pieces(std::vector<granule_use>& uses) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    granule_use& last = uses[kept == 0 ? 0 : kept - 1];
    if (kept > 0 && last.granule == uses[i].granule && last.thread == uses[i].thread) {
      last.use.reads += uses[i].use.reads;
      last.use.writes += uses[i].use.writes;
    } else {
      uses[kept++] = uses[i];
    }
  }
  uses.resize(kept);
}

void add_pairs_of_granule(std::span<const granule_use> users, bool writes_only,
                          event_matrix& sums) {
  for (std::size_t a = 0; a < users.size(); ++a) {
    for (std::size_t b = a + 1; b < users.size(); ++b) {
      if (writes_only && users[a].use.writes == 0 && users[b].use.writes == 0) continue;
      const std::uint64_t least = std::min(users[a].use.total(), users[b].use.total());
      sums.add(users[a].thread, users[b].thread, static_cast<double>(least));
      sums.add(users[b].thread, users[a].thread, static_cast<double>(least));
    }
  }
}

}  // namespace

void add_pairs(std::vector<granule_use>& uses, bool writes_only, event_matrix& sums) {
  std::sort(uses.begin(), uses.end(), [](const granule_use& a, const granule_use& b) {
    return std::tie(a.granule, a.thread) < std::tie(b.granule, b.thread);
  });
  join_pieces(uses);
  for (std::size_t begin = 0; begin < uses.size();) {
    std::size_t end = begin + 1;
    while (end < uses.size() && uses[end].granule == uses[begin].granule) ++end;
    add_pairs_of_granule(std::span(uses).subspan(begin, end - begin), writes_only, sums);
    begin = end;
  }
}

}  // namespace numatch::oracle
