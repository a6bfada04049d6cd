// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sample_budget.hpp"

#include <gtest/gtest.h>

namespace numatch {
namespace {

/// Reads what it may of so many samples.
void offer(sample_budget& budget, std::uint64_t samples) {
  for (std::uint64_t i = budget.thinning(); i <= samples; i += budget.thinning()) {
    budget.note_read();
  }
}

TEST(sample_budget, begins_by_reading_all) {
  EXPECT_EQ(sample_budget(0.01, 400).thinning(), 1u);
}

TEST(sample_budget, reads_so_few_that_reading_takes_its_share) {
  sample_budget budget(0.01, 400);
  offer(budget, 1000);  // 400,000 cycles, four times its share of ten million
  budget.end_interval(1e7, true);
  EXPECT_EQ(budget.thinning(), 4u);
  offer(budget, 1000);
  budget.end_interval(1e7, true);
  EXPECT_EQ(budget.thinning(), 4u) << "what is passed over counts, too";
}

TEST(sample_budget, reads_all_again_when_there_are_few) {
  sample_budget budget(0.01, 400);
  offer(budget, 1000);
  budget.end_interval(1e7, true);
  offer(budget, 100);
  budget.end_interval(1e7, true);
  EXPECT_EQ(budget.thinning(), 1u);
}

TEST(sample_budget, reads_ever_fewer_while_nothing_changes_down_to_an_eighth) {
  sample_budget budget(0.01, 400);
  std::vector<std::uint64_t> seen;
  for (int i = 0; i < 5; ++i) {
    offer(budget, 3200);
    budget.end_interval(3.2e7, false);
    seen.push_back(budget.thinning());
  }
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{8, 16, 32, 32, 32}));
  offer(budget, 3200);
  budget.end_interval(3.2e7, true);
  EXPECT_EQ(budget.thinning(), 4u) << "a change makes it curious again";
}

TEST(sample_budget, an_interval_in_which_nothing_ran_changes_nothing) {
  sample_budget budget(0.01, 400);
  offer(budget, 1000);
  budget.end_interval(1e7, true);
  budget.end_interval(0, true);
  EXPECT_EQ(budget.thinning(), 4u);
}

}  // namespace
}  // namespace numatch
