// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/mapping/instances.hpp"

namespace numatch::bench {
namespace {

std::size_t pairs_of(const sharing_matrix& sharing) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs += sharing.at(i, j) > 0 ? 1 : 0;
  }
  return pairs;
}

TEST(Families, GiveSymmetricWholeAmountsForAnyNumberOfThreads) {
  for (const family& one : all_families()) {
    for (const std::size_t threads : {1U, 2U, 3U, 7U, 24U, 33U, 100U}) {
      const made_pattern made = one.make(threads, 5);
      ASSERT_EQ(made.sharing.size(), threads) << one.name;
      ASSERT_EQ(made.place.size(), threads) << one.name;
      for (std::size_t i = 0; i < threads; ++i) {
        EXPECT_EQ(made.sharing.at(i, i), 0) << one.name;
        for (std::size_t j = 0; j < threads; ++j) {
          const double amount = made.sharing.at(i, j);
          EXPECT_TRUE(amount >= 0 && amount == std::floor(amount)) << one.name;
          EXPECT_EQ(amount, made.sharing.at(j, i)) << one.name;
        }
      }
    }
  }
}

TEST(Families, GiveTheSameMatrixForTheSameSeedAndAnotherForAnother) {
  for (const family& one : all_families()) {
    EXPECT_EQ(one.make(64, 3).sharing, one.make(64, 3).sharing) << one.name;
    EXPECT_NE(one.make(64, 3).sharing, one.make(64, 4).sharing) << one.name;
  }
}

TEST(Families, KeepTheirPlacesApart) {
  for (const family& one : all_families()) {
    const made_pattern made = one.make(60, 1);
    const std::set<std::array<std::uint32_t, 3>> places(made.place.begin(), made.place.end());
    EXPECT_EQ(places.size(), 60U) << one.name;
  }
}

TEST(Families, SayWhetherTheyAreSparse) {
  for (const family& one : all_families()) {
    const std::size_t pairs = pairs_of(one.make(512, 1).sharing);
    EXPECT_EQ(pairs < 512 * 16, one.sparse) << one.name << " has " << pairs << " pairs";
  }
}

TEST(Families, HaveTheNumberOfPairsOfTheirGrids) {
  EXPECT_EQ(pairs_of((*find_family("chain"))->make(64, 1).sharing), 63U);
  EXPECT_EQ(pairs_of((*find_family("ring"))->make(64, 1).sharing), 64U);
  EXPECT_EQ(pairs_of((*find_family("stencil2d"))->make(64, 1).sharing), 2U * 8 * 7);
  EXPECT_EQ(pairs_of((*find_family("stencil3d"))->make(64, 1).sharing), 3U * 16 * 3);
  EXPECT_EQ(pairs_of((*find_family("torus9"))->make(64, 1).sharing), 64U * 4);
  EXPECT_EQ(pairs_of((*find_family("butterfly"))->make(64, 1).sharing), 32U * 6);
}

TEST(Families, RefuseAnUnknownNameAndSuggestTheNearest) {
  const result<const family*> found = find_family("stencil2");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("stencil2d"), std::string::npos);
}

TEST(Instances, FillTheirMachinesEvenly) {
  for (const std::size_t size : table_sizes()) {
    for (const instance& one : table_of(size, 1)) {
      EXPECT_EQ(one.threads % one.machine->pus, 0U) << one.name();
    }
  }
  EXPECT_EQ(table_of(64, 1).size(), 38U);
  EXPECT_EQ(table_of(1024, 1).size(), 38U);
  EXPECT_TRUE(table_of(65, 1).empty());
}

TEST(Instances, LoadMachinesOfTheSizeTheySay) {
  for (const bench_machine& one : all_machines()) {
    const result<loaded_machine> loaded = load(one);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->machine.pu_count(), one.pus) << one.name;
  }
}

TEST(Instances, TheLadderIsSymmetricAndNeedsAtMostThreeHops) {
  const result<loaded_machine> ladder = load(**find_machine("ladder"));
  ASSERT_TRUE(ladder);
  double most = 0;
  for (std::uint32_t a = 0; a < 64; ++a) {
    for (std::uint32_t b = 0; b < 64; ++b) {
      const double hops = ladder->distances.at(pu_id(a), pu_id(b));
      EXPECT_EQ(hops, ladder->distances.at(pu_id(b), pu_id(a)));
      EXPECT_EQ(hops == 0, a / 8 == b / 8);
      most = std::max(most, hops);
    }
  }
  EXPECT_EQ(most, 3);
}

}  // namespace
}  // namespace numatch::bench
