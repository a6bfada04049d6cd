// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "ring_program/pattern.hpp"
#include "ring_program/random.hpp"

namespace ring {
namespace {

options with(sharing pattern, unsigned threads) {
  options chosen;
  chosen.pattern = pattern;
  chosen.threads = threads;
  chosen.private_pages = 2;
  chosen.shared_pages = 3;
  return chosen;
}

using users = std::vector<unsigned>;
using pages = std::vector<std::size_t>;

TEST(RingPattern, InARingEachRegionBelongsToNeighbours) {
  const options chosen = with(sharing::ring, 4);
  EXPECT_EQ(users_of(chosen, 2, 0), users{2});
  EXPECT_EQ(users_of(chosen, 4, 0), (users{0, 1}));
  EXPECT_EQ(users_of(chosen, 7, 0), (users{3, 0}));
}

TEST(RingPattern, PairsShareWithNobodyElse) {
  const options chosen = with(sharing::pairs, 4);
  EXPECT_EQ(users_of(chosen, 4, 0), (users{0, 1}));
  EXPECT_EQ(users_of(chosen, 5, 0), (users{1, 0}));
}

TEST(RingPattern, InTheSecondPhasePartnersAreOpposite) {
  EXPECT_EQ(users_of(with(sharing::ring, 8), 8 + 1, 1), (users{1, 5}));
  EXPECT_EQ(users_of(with(sharing::pairs, 8), 8 + 6, 1), (users{6, 2}));
}

TEST(RingPattern, ToAllMeansEveryThreadAndTheOwnerFirst) {
  users found = users_of(with(sharing::all, 4), 4 + 2, 0);
  EXPECT_EQ(found.front(), 2U);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (users{0, 1, 2, 3}));
}

TEST(RingPattern, AThreadAloneSharesWithNobody) {
  EXPECT_EQ(users_of(with(sharing::ring, 1), 1, 0), users{0});
}

TEST(RingPattern, AThreadUsesItsOwnPagesAndThoseOfItsSharedRegions) {
  EXPECT_EQ(pages_of_thread(with(sharing::ring, 4), 0, 0), (pages{0, 1, 8, 9, 10, 17, 18, 19}));
}

TEST(RingPattern, RegionsCoverAllPagesOnce) {
  const layout shape = layout_of(with(sharing::ring, 5));
  std::size_t next = 0;
  for (std::size_t region = 0; region < shape.regions(); ++region) {
    EXPECT_EQ(shape.first_page_of(region), next);
    next += shape.pages_of(region);
  }
  EXPECT_EQ(next, shape.pages());
}

TEST(RingRandom, TheSameSeedGivesTheSameOrder) {
  random one(7, 3);
  random same(7, 3);
  random other(8, 3);
  EXPECT_EQ(shuffled(20, one), shuffled(20, same));
  EXPECT_NE(shuffled(20, one), shuffled(20, other));
}

TEST(RingRandom, AnOrderHasEachNumberOnce) {
  random source(1, 1);
  std::vector<unsigned> order = shuffled(100, source);
  std::sort(order.begin(), order.end());
  for (unsigned at = 0; at < 100; ++at) EXPECT_EQ(order[at], at);
}

}  // namespace
}  // namespace ring
