// SPDX-License-Identifier: Apache-2.0
#include "mapping/pu_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/fuzzed_request.hpp"
#include "mapping/patterns.hpp"

namespace numatch {
namespace {

std::vector<std::uint32_t> sizes(const pu_tree& tree, std::size_t level) {
  std::vector<std::uint32_t> found;
  for (const pu_tree::group& g : tree.groups(level)) found.push_back(g.size());
  return found;
}
using counts = std::vector<std::uint32_t>;

TEST(PuTree, OfAWholeMachineHasItsLevels) {
  const topology where = machine("numa:2 core:3 pu:2");
  const pu_tree tree(where);
  ASSERT_EQ(tree.levels(), 4U);
  EXPECT_EQ(sizes(tree, 0), (counts{12}));
  EXPECT_EQ(sizes(tree, 1), (counts{6, 6}));
  EXPECT_EQ(sizes(tree, 2), counts(6, 2));
  EXPECT_EQ(sizes(tree, 3), counts(12, 1));
  EXPECT_EQ(tree.group_of(2, 7), 3U);
  EXPECT_EQ(tree.groups(2)[3].parent, 1U);
  EXPECT_EQ(tree.machine_level(1), 0U);
  EXPECT_EQ(where.level_names()[tree.machine_level(2) + 1], "Core");
}

TEST(PuTree, LeavesOutWhatIsNotAllowed) {
  const topology where = machine("numa:2 core:2 pu:2");
  const std::vector<pu_id> allowed{pu_id(6), pu_id(0), pu_id(1), pu_id(4)};
  const pu_tree tree(where, allowed);
  ASSERT_EQ(tree.size(), 4U);
  EXPECT_EQ(tree.pu(0), pu_id(0));
  EXPECT_EQ(tree.pu(3), pu_id(6));
  EXPECT_EQ(tree.leaf_of(pu_id(4)), 2U);
  EXPECT_EQ(tree.leaf_of(pu_id(5)), pu_tree::no_leaf);
  ASSERT_EQ(tree.levels(), 4U);
  EXPECT_EQ(sizes(tree, 1), (counts{2, 2}));
  EXPECT_EQ(sizes(tree, 2), (counts{2, 1, 1}));
}

TEST(PuTree, ALevelThatNoLongerBranchesIsGone) {
  const topology where = machine("numa:2 core:2 pu:2");
  const std::vector<pu_id> one_per_core{pu_id(0), pu_id(2), pu_id(4), pu_id(6)};
  const pu_tree tree(where, one_per_core);
  ASSERT_EQ(tree.levels(), 3U);
  EXPECT_EQ(sizes(tree, 1), (counts{2, 2}));
  EXPECT_EQ(tree.machine_level(2), 1U) << "the leaves part at the cores";
  const std::vector<pu_id> one_node{pu_id(4), pu_id(5), pu_id(6), pu_id(7)};
  const pu_tree inside(where, one_node);
  ASSERT_EQ(inside.levels(), 3U);
  EXPECT_EQ(inside.machine_level(1), 1U);
}

TEST(PuTree, OnePuIsATreeOfOneLevel) {
  const pu_tree tree(machine("numa:1 pu:1"));
  EXPECT_EQ(tree.levels(), 1U);
  EXPECT_EQ(tree.groups(0).size(), 1U);
  EXPECT_EQ(tree.leaf_of(pu_id(0)), 0U);
}

RC_GTEST_PROP(PuTree, GroupsAreRangesThatPartAtTheMachinesLevel, ()) {
  const topology where = topology::load(draw_spec()).value();
  const std::vector<pu_id> allowed = draw_allowed(where.pu_count());
  const pu_tree tree(where, allowed);
  RC_ASSERT(tree.size() == (allowed.empty() ? where.pu_count() : allowed.size()));
  RC_ASSERT(tree.groups(tree.levels() - 1).size() == tree.size());
  for (std::size_t level = 0; level < tree.levels(); ++level) {
    std::uint32_t next = 0;
    for (std::uint32_t g = 0; g < tree.groups(level).size(); ++g) {
      const pu_tree::group& group = tree.groups(level)[g];
      RC_ASSERT(group.first == next);
      RC_ASSERT(group.size() > 0U);
      next = group.end;
      for (std::uint32_t leaf = group.first; leaf < group.end; ++leaf) {
        RC_ASSERT(tree.group_of(level, leaf) == g);
        RC_ASSERT(tree.leaf_of(tree.pu(leaf)) == leaf);
        if (level > 0) RC_ASSERT(tree.group_of(level - 1, leaf) == group.parent);
      }
    }
    RC_ASSERT(next == tree.size());
  }
  // Two leaves that part at a level of this tree part there in the machine's.
  for (std::uint32_t a = 0; a < tree.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      std::size_t level = 1;
      while (tree.group_of(level, a) == tree.group_of(level, b)) ++level;
      const unsigned distance = where.distance(tree.pu(a), tree.pu(b));
      RC_ASSERT(distance == 2 * (where.depth() - tree.machine_level(level)));
    }
  }
}

}  // namespace
}  // namespace numatch
