// SPDX-License-Identifier: Apache-2.0
#include "mapping/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mapping/group_loads.hpp"

namespace numatch {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The children [first, end) of a group, on the next level.
struct child_range {
  std::uint32_t first;
  std::uint32_t end;
  child_range(const pu_tree& tree, std::size_t level, std::size_t group)
      : first(tree.group_of(level + 1, tree.groups(level)[group].first)),
        end(tree.group_of(level + 1, tree.groups(level)[group].end - 1) + 1) {}
};

/// The child with the least load per PU, the lower one on a tie.
std::uint32_t lightest(const pu_tree& tree, const group_loads& loads, std::size_t level,
                       const child_range& children) {
  const std::span<const pu_tree::group> groups = tree.groups(level);
  std::uint32_t best = children.first;
  for (std::uint32_t c = children.first + 1; c < children.end; ++c) {
    if (loads.at(level, c) * groups[best].size() < loads.at(level, best) * groups[c].size()) {
      best = c;
    }
  }
  return best;
}

/// Sends one thread down the tree. Returns its leaf.
std::uint32_t lightest_leaf(const pu_tree& tree, const group_loads& loads) {
  std::uint32_t group = 0;
  for (std::size_t level = 0; level + 1 < tree.levels(); ++level) {
    group = lightest(tree, loads, level + 1, child_range(tree, level, group));
  }
  return group;
}

/// What the request says about one thread.
struct thread_loads {
  std::span<const double> weights;
  std::span<const std::optional<pu_id>> pinned;
  double of(std::size_t thread) const { return weights.empty() ? 1 : weights[thread]; }
  bool is_pinned(std::size_t thread) const { return !pinned.empty() && pinned[thread].has_value(); }
};

bool all_alike(const mapping_request& request) {
  const bool same = std::adjacent_find(request.weights.begin(), request.weights.end(),
                                       std::not_equal_to<>()) == request.weights.end();
  return same && std::none_of(request.pinned.begin(), request.pinned.end(),
                              [](const std::optional<pu_id>& pin) { return pin.has_value(); });
}

bool nothing_is_shared(const sharing_matrix& sharing) {
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < sharing.size(); ++j) {
      if (i != j && sharing.at(i, j) > 0) return false;
    }
  }
  return true;
}

/// A level of cores with more than one hardware thread: by its name, also where the name of a
/// larger part that has just this core came first, or by the L1 cache that the PUs share.
bool is_core_level(const topology& machine, const pu_tree& tree, std::size_t level) {
  if (level + 1 >= tree.levels()) return false;
  for (std::size_t l = level == 0 ? 0 : tree.machine_level(level) + 1;
       l <= tree.machine_level(level + 1); ++l) {
    if (machine.level_names()[l] == "Core") return true;
  }
  if (level + 2 != tree.levels()) return false;
  const auto l1 = std::find_if(machine.caches().begin(), machine.caches().end(),
                               [](const cache_level& cache) { return cache.level == 1; });
  if (l1 == machine.caches().end()) return false;
  for (const pu_tree::group& core : tree.groups(level)) {
    const unsigned first = l1->group[tree.pu(core.first).index()];
    if (first == no_cache) return false;
    for (std::uint32_t leaf = core.first + 1; leaf < core.end; ++leaf) {
      if (l1->group[tree.pu(leaf).index()] != first) return false;
    }
  }
  return true;
}

bool is_limited(const mapping_request& request, const pu_tree& tree, std::size_t level,
                bool every_level) {
  if (level + 1 == tree.levels() || every_level) return true;
  return request.policy == fill_policy::automatic && is_core_level(request.machine, tree, level);
}

bool every_level_is_limited(const mapping_request& request, const pu_tree& tree) {
  if (request.policy == fill_policy::spread) return true;
  if (request.policy == fill_policy::pack) return false;
  return request.sharing.size() > tree.size() || nothing_is_shared(request.sharing);
}

/// Equal threads need no search: each child gets its share rounded down and the rest go one by one
/// to the lightest. Threads take the leaves in order.
void place_alike(std::size_t threads, const pu_tree& tree, group_loads& loads,
                 std::vector<std::uint32_t>& witness) {
  loads.at(0, 0) = static_cast<double>(threads);
  for (std::size_t level = 0; level + 1 < tree.levels(); ++level) {
    const std::span<const pu_tree::group> below = tree.groups(level + 1);
    for (std::size_t g = 0; g < tree.groups(level).size(); ++g) {
      const std::size_t count = static_cast<std::size_t>(loads.at(level, g));
      const child_range children(tree, level, g);
      std::size_t rest = count;
      for (std::uint32_t c = children.first; c < children.end; ++c) {
        const std::size_t share = count * below[c].size() / tree.groups(level)[g].size();
        loads.at(level + 1, c) = static_cast<double>(share);
        rest -= share;
      }
      for (; rest > 0; --rest) {
        loads.at(level + 1, lightest(tree, loads, level + 1, children)) += 1;
      }
    }
  }
  std::size_t thread = 0;
  for (std::uint32_t leaf = 0; leaf < tree.size(); ++leaf) {
    const std::size_t count = static_cast<std::size_t>(loads.at(tree.levels() - 1, leaf));
    std::fill_n(witness.begin() + static_cast<std::ptrdiff_t>(thread), count, leaf);
    thread += count;
  }
}

/// Pinned threads are placed already; the others follow, the heaviest first.
void place_by_weight(const thread_loads& threads, const pu_tree& tree, group_loads& loads,
                     std::vector<std::uint32_t>& witness) {
  std::vector<std::uint32_t> order(witness.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return threads.of(a) > threads.of(b); });
  for (const std::uint32_t t : order) {
    if (threads.is_pinned(t)) continue;
    witness[t] = lightest_leaf(tree, loads);
    loads.add(witness[t], threads.of(t));
  }
}

/// The limits of one level of equal threads.
std::vector<double> limits_alike(const pu_tree& tree, std::size_t level, const group_loads& loads,
                                 std::size_t threads, double weight,
                                 std::vector<double>& most_of_size) {
  const std::span<const pu_tree::group> groups = tree.groups(level);
  std::vector<double> limit(groups.size());
  std::fill(most_of_size.begin(), most_of_size.end(), 0.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    double& most = most_of_size[groups[g].size()];
    most = std::max(most, loads.at(level, g));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t size = groups[g].size();
    const std::size_t share = (threads * size + tree.size() - 1) / tree.size();
    limit[g] = weight * std::max(most_of_size[size], static_cast<double>(share));
  }
  return limit;
}

/// The limits of one level where weights differ or threads are pinned. What pinned threads alone
/// put on a group says nothing about what others may hold.
std::vector<double> limits_by_weight(const pu_tree& tree, std::size_t level,
                                     const group_loads& loads, const group_loads& pinned,
                                     double heaviest_free, std::vector<double>& most_of_size) {
  const std::span<const pu_tree::group> groups = tree.groups(level);
  std::vector<double> limit(groups.size());
  std::fill(most_of_size.begin(), most_of_size.end(), heaviest_free);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (loads.at(level, g) <= pinned.at(level, g)) continue;
    double& most = most_of_size[groups[g].size()];
    most = std::max(most, loads.at(level, g));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    limit[g] = std::max(most_of_size[groups[g].size()], pinned.at(level, g));
  }
  return limit;
}

}  // namespace

load_limits limits_of(const mapping_request& request, const pu_tree& tree) {
  const std::size_t threads = request.sharing.size();
  const thread_loads load_of{request.weights, request.pinned};
  const bool alike = all_alike(request);
  load_limits limits;
  limits.witness.resize(threads);
  limits.uniform = alike && threads > 0 && threads % tree.size() == 0;
  group_loads loads(tree);
  double heaviest_free = 0;
  if (alike) {
    place_alike(threads, tree, loads, limits.witness);
  } else {
    for (std::size_t t = 0; t < threads; ++t) {
      if (!load_of.is_pinned(t)) {
        heaviest_free = std::max(heaviest_free, load_of.of(t));
        continue;
      }
      limits.witness[t] = tree.leaf_of(*request.pinned[t]);
      loads.add(limits.witness[t], load_of.of(t));
    }
  }
  const group_loads pinned = loads;
  if (!alike) place_by_weight(load_of, tree, loads, limits.witness);

  const bool every_level = every_level_is_limited(request, tree);
  std::vector<double> most_of_size(tree.size() + 1);
  limits.limit.reserve(tree.levels());
  for (std::size_t level = 0; level < tree.levels(); ++level) {
    if (!is_limited(request, tree, level, every_level)) {
      limits.limit.emplace_back(tree.groups(level).size(), unlimited);
    } else if (alike) {
      limits.limit.push_back(
          limits_alike(tree, level, loads, threads, load_of.of(0), most_of_size));
    } else {
      limits.limit.push_back(
          limits_by_weight(tree, level, loads, pinned, heaviest_free, most_of_size));
    }
  }
  return limits;
}

bool keeps_limits(const std::vector<std::uint32_t>& leaf_of, const mapping_request& request,
                  const pu_tree& tree, const load_limits& limits) {
  const thread_loads threads{request.weights, request.pinned};
  if (leaf_of.size() != request.sharing.size()) return false;
  std::vector<double> on_leaf(tree.size());
  for (std::size_t t = 0; t < leaf_of.size(); ++t) {
    if (leaf_of[t] >= tree.size()) return false;
    if (threads.is_pinned(t) && tree.pu(leaf_of[t]) != *request.pinned[t]) return false;
    on_leaf[leaf_of[t]] += threads.of(t);
  }
  for (std::size_t level = 0; level < tree.levels(); ++level) {
    for (std::size_t g = 0; g < tree.groups(level).size(); ++g) {
      if (limits.limit[level][g] == unlimited) break;  // then the level has no limit at all
      const pu_tree::group& group = tree.groups(level)[g];
      const double load =
          std::accumulate(on_leaf.begin() + group.first, on_leaf.begin() + group.end, 0.0);
      if (load > limits.limit[level][g] * (1 + limit_tolerance)) return false;
    }
  }
  return true;
}

}  // namespace numatch
