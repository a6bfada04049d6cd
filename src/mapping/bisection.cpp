// SPDX-License-Identifier: Apache-2.0
#include "mapping/bisection.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace numatch {

namespace {

class bisector {
 public:
  explicit bisector(const distance_table& distances)
      : distances_(distances), number_(distances.size()) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> all(distances_.size());
    std::iota(all.begin(), all.end(), 0U);
    // One level more than needed leaves room for cuts that are not in the middle.
    const std::size_t levels = std::bit_width(all.size() - 1) + 1;
    split(all, 1, levels);
    return number_;
  }

 private:
  double between(std::uint32_t a, std::uint32_t b) const {
    return distances_.at(pu_id(a), pu_id(b)) + distances_.at(pu_id(b), pu_id(a));
  }

  std::uint32_t farthest_from(std::uint32_t pu, std::span<const std::uint32_t> pus) const {
    return *std::max_element(pus.begin(), pus.end(), [&](std::uint32_t a, std::uint32_t b) {
      return between(pu, a) < between(pu, b);
    });
  }

  /// Sorts by how much nearer a PU is to one seed than to the other and cuts at the widest gap
  /// that leaves both sides small enough for the levels below, nearest to the middle on a tie.
  void split(std::span<std::uint32_t> pus, std::uint32_t number, std::size_t levels) {
    if (pus.size() == 1) {
      number_[pus.front()] = number;
      return;
    }
    const std::uint32_t left = farthest_from(pus.front(), pus);
    const std::uint32_t right = farthest_from(left, pus);
    const auto pull = [&](std::uint32_t pu) { return between(pu, left) - between(pu, right); };
    std::stable_sort(pus.begin(), pus.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return pull(a) < pull(b); });
    const std::size_t most = std::size_t{1} << (levels - 1);
    const std::size_t low = pus.size() > most ? pus.size() - most : 1;
    const std::size_t high = std::min(most, pus.size() - 1);
    const auto off_middle = [&](std::size_t cut) {
      return cut * 2 > pus.size() ? cut * 2 - pus.size() : pus.size() - cut * 2;
    };
    std::size_t best = low;
    double widest = -1;
    for (std::size_t cut = low; cut <= high; ++cut) {
      const double gap = pull(pus[cut]) - pull(pus[cut - 1]);
      if (gap < widest || (gap == widest && off_middle(cut) >= off_middle(best))) continue;
      best = cut;
      widest = gap;
    }
    split(pus.first(best), number * 2, levels - 1);
    split(pus.subspan(best), number * 2 + 1, levels - 1);
  }

  const distance_table& distances_;
  std::vector<std::uint32_t> number_;
};

}  // namespace

std::vector<std::uint32_t> bisect_by_distance(const distance_table& distances) {
  if (distances.size() == 1) return {1};
  return bisector(distances).run();
}

}  // namespace numatch
