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

std::uint64_t shared_by(const use_count& a, const use_count& b, pair_count count) {
  const std::uint64_t least = std::min(a.total(), b.total());
  return count == pair_count::accesses ? least : std::min(least, a.writes + b.writes);
}

void add_pairs_of_granule(std::span<const granule_use> users, pair_count count,
                          event_matrix& sums) {
  for (std::size_t a = 0; a < users.size(); ++a) {
    for (std::size_t b = a + 1; b < users.size(); ++b) {
      const std::uint64_t shared = shared_by(users[a].use, users[b].use, count);
      if (shared == 0) continue;
      sums.add(users[a].thread, users[b].thread, static_cast<double>(shared));
      sums.add(users[b].thread, users[a].thread, static_cast<double>(shared));
    }
  }
}

}  // namespace

void add_pairs(std::vector<granule_use>& uses, pair_count count, event_matrix& sums) {
  std::sort(uses.begin(), uses.end(), [](const granule_use& a, const granule_use& b) {
    return std::tie(a.granule, a.thread) < std::tie(b.granule, b.thread);
  });
  join_pieces(uses);
  for (std::size_t begin = 0; begin < uses.size();) {
    std::size_t end = begin + 1;
    while (end < uses.size() && uses[end].granule == uses[begin].granule) ++end;
    add_pairs_of_granule(std::span(uses).subspan(begin, end - begin), count, sums);
    begin = end;
  }
}

}  // namespace numatch::oracle
