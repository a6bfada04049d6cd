// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/bounded_search.hpp"

#include <gtest/gtest.h>

#include "mapping/engine/flexible_search.hpp"
#include "mapping/patterns.hpp"

// Work is counted in additions: what a large request takes does not depend on the clock.
namespace numatch::engine {
namespace {

/// Everybody shares with everybody, on a machine with more PUs than threads.
class BoundedSearch : public testing::Test {
 protected:
  static constexpr std::size_t threads = 96;

  BoundedSearch() {
    for (std::size_t i = 0; i < threads; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        sharing_.set(i, j, static_cast<double>(1 + i * j * 37 % 101));
      }
      start_.push_back(static_cast<std::uint32_t>(i * 37 % tree_.size()));
    }
  }
  bounded_answer search(const work_limits& work) {
    random_source random(1);
    return search_bounded(request_, tree_, limits_of(request_, tree_), start_, 1000, work, random);
  }
  double cost(const std::vector<std::uint32_t>& leaf_of) const {
    thread_mapping mapping;
    for (const std::uint32_t leaf : leaf_of) mapping.pu_of.push_back(tree_.pu(leaf));
    return mapping_cost(sharing_, mapping, distances_);
  }
  std::uint64_t work_of_change() {
    return flexible_search(request_, tree_, limits_of(request_, tree_)).work_of_change();
  }

  topology where_ = machine("numa:4 core:16 pu:2");
  distance_table distances_{where_};
  sharing_matrix sharing_{threads};
  mapping_request request_{
      .sharing = sharing_, .machine = where_, .distances = distances_, .policy = fill_policy::pack};
  pu_tree tree_{where_, {}};
  std::vector<std::uint32_t> start_;
};

TEST_F(BoundedSearch, EndsWithinTheWorkThatItMaySpend) {
  const std::uint64_t tables = work_of_change() * threads;
  const bounded_answer all = search({});
  // Less than it would take, down to a tenth of the tables for a descent.
  for (const std::uint64_t part : {10U, 3U, 1U}) {
    const work_limits work{tables, tables * part, tables * part / 10};
    const bounded_answer found = search(work);
    EXPECT_LT(found.work, all.work);
    // A descent ends after the change in which it spent its last addition.
    EXPECT_LE(found.work, work.in_all() + 3 * 3 * work_of_change());
    EXPECT_LT(cost(found.leaf_of), cost(start_));
  }
}

TEST_F(BoundedSearch, TakesTheStartWhereTablesAreTooMuch) {
  work_limits work;
  work.tables = work_of_change() * threads - 1;
  const bounded_answer found = search(work);
  EXPECT_EQ(found.leaf_of, start_);
  EXPECT_EQ(found.work, 0U);
}

TEST_F(BoundedSearch, DoesNotAnnealWhereThatWouldBeLessThanAProposalPerThread) {
  work_limits work;
  work.annealing = work_of_change() * (threads - 1);
  const bounded_answer descended = search(work);
  EXPECT_GT(descended.work, 0U);
  work.annealing = 0;
  EXPECT_EQ(search(work).work, descended.work);
  work.annealing = work_of_change() * threads;
  EXPECT_GT(search(work).work, descended.work);
}

TEST_F(BoundedSearch, TheWorkOfAChangeIsWhatAChangeTakes) {
  flexible_search search(request_, tree_, limits_of(request_, tree_));
  search.start(start_);
  // Tables are as much work as a change of every thread, but for looking at the threads.
  EXPECT_LE(search.work(), search.work_of_change() * threads);
  EXPECT_GE(2 * search.work(), search.work_of_change() * threads);
}

TEST_F(BoundedSearch, DescendsFromAsManyStartsAsItsWorkAllows) {
  const auto best_of = [&](unsigned starts, const work_limits& work) {
    std::uint32_t turn = 0;
    const auto next = [&] {
      std::vector<std::uint32_t> turned = start_;
      for (std::uint32_t& leaf : turned) {
        leaf = (leaf + 7 * turn) % static_cast<std::uint32_t>(tree_.size());
      }
      ++turn;
      return turned;
    };
    const bounded_answer best =
        best_descent(request_, tree_, limits_of(request_, tree_), starts, next, work);
    return std::pair{best, turn};
  };
  const auto [one, turns_of_one] = best_of(1, {});
  const auto [eight, turns_of_eight] = best_of(8, {});
  EXPECT_EQ(turns_of_eight, 8U);
  EXPECT_LE(cost(eight.leaf_of), cost(one.leaf_of));
  EXPECT_LT(cost(one.leaf_of), cost(start_));
  work_limits tight;
  tight.descent = one.work;
  const auto [bounded, turns_of_bounded] = best_of(8, tight);
  EXPECT_EQ(turns_of_bounded, 1U) << "the first descent has taken all that there was";
  EXPECT_EQ(bounded.leaf_of, one.leaf_of);
  tight.tables = 1;
  EXPECT_EQ(best_of(8, tight).first.leaf_of, start_);
}

}  // namespace
}  // namespace numatch::engine
