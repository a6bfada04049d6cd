// SPDX-License-Identifier: Apache-2.0
#include "mapping/scotch_target.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "mapping/bisection.hpp"
#include "mapping/level_costs.hpp"

namespace numatch {

namespace {

/// Whole numbers are kept; others are scaled so that the greatest becomes 1000.
double scale_to_whole(const std::vector<double>& distances) {
  const double greatest = *std::max_element(distances.begin(), distances.end());
  const bool whole =
      std::all_of(distances.begin(), distances.end(), [](double d) { return d == std::floor(d); });
  if (greatest <= 0 || (whole && greatest <= 10'000)) return 1;
  return 1000 / greatest;
}

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

scotch_target::scotch_target() {
  SCOTCH_archInit(&whole_);
  SCOTCH_archInit(&part_);
}

scotch_target::~scotch_target() {
  SCOTCH_archExit(&part_);
  SCOTCH_archExit(&whole_);
}

result<void> scotch_target::build(const topology& machine, const distance_table& distances,
                                  const pu_tree& tree) {
  const level_costs costs = costs_by_level(machine, distances);
  follows_tree_ = costs.exact;
  if (!costs.exact && tree.size() <= most_explicit_pus) return build_explicit(distances, tree);
  return build_tree(machine, costs.cost, tree);
}

result<void> scotch_target::build_tree(const topology& machine, const std::vector<double>& cost,
                                       const pu_tree& tree) {
  const std::size_t depth = machine.depth();
  const double scale = scale_to_whole(cost);
  std::size_t all_leaves = 1;
  for (std::size_t l = 0; l < depth; ++l) {
    unsigned arity = 1;
    for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
      arity = std::max(arity, machine.path(pu_id(pu))[l] + 1);
    }
    arities_.push_back(static_cast<SCOTCH_Num>(arity));
    all_leaves *= arity;
    if (all_leaves > (std::size_t{1} << 24U)) {
      return fail(machine.name(), "is too uneven for Scotch", "choose another algorithm");
    }
    // Scotch adds up the links from where two leaves part down to the leaf.
    const double below = l + 1 < depth ? cost[l + 1] : 0;
    links_.push_back(static_cast<SCOTCH_Num>(std::max(1.0, std::round((cost[l] - below) * scale))));
  }
  greatest_ = std::accumulate(links_.begin(), links_.end(), 0.0);
  if (SCOTCH_archTleaf(&whole_, static_cast<SCOTCH_Num>(depth), arities_.data(), links_.data()) !=
      0) {
    return fail("Scotch", "refused the tree of " + machine.name());
  }
  uses_part_ = all_leaves != tree.size();
  // Leaves are in the order of the tree, as Scotch wants its terminals.
  for (std::uint32_t leaf = 0; leaf < tree.size(); ++leaf) {
    SCOTCH_Num terminal = 0;
    for (std::size_t l = 0; l < depth; ++l) {
      terminal = terminal * arities_[l] + static_cast<SCOTCH_Num>(machine.path(tree.pu(leaf))[l]);
    }
    leaves_.push_back(terminal);
    pu_of_.push_back(tree.pu(leaf));
  }
  if (uses_part_ && SCOTCH_archSub(&part_, &whole_, static_cast<SCOTCH_Num>(leaves_.size()),
                                   leaves_.data()) != 0) {
    return fail("Scotch", "refused the uneven tree of " + machine.name());
  }
  return {};
}

result<void> scotch_target::build_explicit(const distance_table& distances, const pu_tree& tree) {
  const std::size_t pus = tree.size();
  std::vector<double> cells;
  std::vector<double> table;
  for (std::uint32_t a = 0; a < pus; ++a) {
    pu_of_.push_back(tree.pu(a));
    for (std::uint32_t b = 0; b < pus; ++b) {
      cells.push_back(distances.at(tree.pu(a), tree.pu(b)));
      if (b < a) table.push_back(cells.back());
    }
  }
  const result<distance_table> of_leaves = distance_table::from_cells(pus, std::move(cells));
  if (!of_leaves) return tl::unexpected(of_leaves.error());
  const std::vector<std::uint32_t> number = bisect_by_distance(*of_leaves);
  const double scale = scale_to_whole(table);
  std::string text =
      fmt::format("deco 0\n{} {}\n", pus, *std::max_element(number.begin(), number.end()));
  for (std::size_t pu = 0; pu < pus; ++pu) text += fmt::format("{} 1 {}\n", pu, number[pu]);
  for (const double d : table) {
    // Scotch refuses 0 between different PUs.
    const double whole = std::max(1.0, std::round(d * scale));
    greatest_ = std::max(greatest_, whole);
    text += fmt::format("{:.0f}\n", whole);
  }
  const std::unique_ptr<std::FILE, file_closer> stream(fmemopen(text.data(), text.size(), "r"));
  if (!stream || SCOTCH_archLoad(&whole_, stream.get()) != 0) {
    return fail("Scotch", "refused the distances of the machine");
  }
  recursive_only_ = true;
  return {};
}

}  // namespace numatch
