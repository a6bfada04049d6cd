// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/group_arrangement.hpp"

#include <algorithm>
#include <numeric>

namespace numatch::engine {

namespace {

constexpr std::size_t most_groups = 64;
constexpr unsigned orders = 24;

/// What the groups of a level share and how far apart their places are.
class arrangement {
 public:
  arrangement(const std::vector<std::uint32_t>& leaf_of, const mapping_request& request,
              const pu_tree& tree, std::size_t level)
      : groups_(tree.groups(level).size()),
        sharing_(groups_ * groups_, 0),
        distance_(groups_ * groups_, 0),
        place_(groups_) {
    const std::span<const std::uint32_t> group_of = tree.groups_of_leaves(level);
    for (std::size_t a = 0; a < leaf_of.size(); ++a) {
      for (std::size_t b = a + 1; b < leaf_of.size(); ++b) {
        const std::size_t g = group_of[leaf_of[a]];
        const std::size_t h = group_of[leaf_of[b]];
        if (g == h) continue;
        const double shared = request.sharing.between(a, b);
        sharing_[g * groups_ + h] += shared;
        sharing_[h * groups_ + g] += shared;
      }
    }
    for (std::size_t a = 0; a < tree.size(); ++a) {
      for (std::size_t b = 0; b < tree.size(); ++b) {
        distance_[group_of[a] * groups_ + group_of[b]] +=
            request.distances.at(tree.pu(a), tree.pu(b));
      }
    }
    std::iota(place_.begin(), place_.end(), 0U);
  }

  /// Leaves the best order found in place().
  void solve(random_source& random) {
    descend();
    std::vector<std::uint32_t> best = place_;
    double least = cost();
    for (unsigned o = 1; o < orders; ++o) {
      for (std::size_t i = groups_; i > 1; --i) {
        std::swap(place_[i - 1], place_[random.below(static_cast<std::uint32_t>(i))]);
      }
      descend();
      const double found = cost();
      if (found >= least) continue;
      least = found;
      best = place_;
    }
    place_ = best;
  }
  const std::vector<std::uint32_t>& place() const { return place_; }

 private:
  double sharing(std::size_t g, std::size_t h) const { return sharing_[g * groups_ + h]; }
  double distance(std::size_t g, std::size_t h) const {
    return distance_[place_[g] * groups_ + place_[h]];
  }
  double cost() const {
    double sum = 0;
    for (std::size_t g = 0; g < groups_; ++g) {
      for (std::size_t h = 0; h < g; ++h) sum += sharing(g, h) * distance(g, h);
    }
    return sum;
  }
  double gain(std::size_t g, std::size_t h) const {
    double sum = 0;
    for (std::size_t k = 0; k < groups_; ++k) {
      if (k == g || k == h) continue;
      sum += (sharing(g, k) - sharing(h, k)) * (distance(g, k) - distance(h, k));
    }
    return sum;
  }
  void descend() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t g = 0; g < groups_; ++g) {
        for (std::size_t h = g + 1; h < groups_; ++h) {
          if (gain(g, h) <= 1e-9 * cost_scale()) continue;
          std::swap(place_[g], place_[h]);
          changed = true;
        }
      }
    }
  }
  double cost_scale() {
    if (scale_ < 0) scale_ = cost();
    return scale_;
  }

  std::size_t groups_;
  double scale_ = -1;
  std::vector<double> sharing_;
  std::vector<double> distance_;
  std::vector<std::uint32_t> place_;  ///< of each group: the group whose leaves it gets
};

bool is_even(const pu_tree& tree, std::size_t level) {
  const std::span<const pu_tree::group> groups = tree.groups(level);
  return std::all_of(groups.begin(), groups.end(),
                     [&](const pu_tree::group& g) { return g.size() == groups[0].size(); });
}

}  // namespace

void arrange_groups(std::vector<std::uint32_t>& leaf_of, const mapping_request& request,
                    const pu_tree& tree, random_source& random) {
  for (std::size_t level = 1; level + 1 < tree.levels(); ++level) {
    const std::span<const pu_tree::group> groups = tree.groups(level);
    if (groups.size() > most_groups || !is_even(tree, level)) return;
    arrangement order(leaf_of, request, tree, level);
    order.solve(random);
    for (std::uint32_t& leaf : leaf_of) {
      const std::uint32_t from = tree.group_of(level, leaf);
      leaf = groups[order.place()[from]].first + (leaf - groups[from].first);
    }
  }
}

}  // namespace numatch::engine
