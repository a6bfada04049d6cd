// SPDX-License-Identifier: Apache-2.0
#include "trace/filter_tlb.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace numatch::trace {
namespace {

struct geometry {
  std::uint32_t sets;
  std::uint32_t ways;
};

constexpr std::uint32_t page_shift = 12;

class FilterTlb : public testing::TestWithParam<geometry> {};

TEST_P(FilterTlb, MissesAndEvictsExactlyAsTheTlbOfTheMechanismsDoes) {
  const auto [sets, ways] = GetParam();
  std::vector<tlb_entry> plain_storage(sets * ways);
  std::vector<std::uint64_t> storage(filter_tlb::storage_bytes(sets, ways) / 8);
  tlb plain(plain_storage.data(), sets, ways);
  filter_tlb filter(storage.data(), sets, ways, page_shift);
  plain.flush();
  filter.flush();
  std::mt19937_64 random(7);
  std::uint64_t misses = 0;
  for (int i = 0; i < 200'000; ++i) {
    // Half of them near each other, so that there are hits in every way.
    const std::uint64_t page = random() % (i % 2 == 0 ? sets * ways : 3 * sets * ways);
    tlb_entry evicted;
    const bool hit = plain.access(page, evicted) == tlb_outcome::hit;
    ASSERT_EQ(filter.hit(page << page_shift | 8, 8), hit) << "look-up " << i;
    if (hit) continue;
    ++misses;
    const tlb_entry left = filter.take_in(page << page_shift);
    ASSERT_EQ(left.page, evicted.page) << "look-up " << i;
    ASSERT_EQ(left.accesses, evicted.accesses) << "look-up " << i;
  }
  EXPECT_GT(misses, 0U);
  EXPECT_EQ(filter.lookups(), 200'000U);
}

TEST(FilterTlbAccess, ThatLeavesItsPageIsNoHit) {
  std::vector<std::uint64_t> storage(filter_tlb::storage_bytes(1, 2) / 8);
  filter_tlb filter(storage.data(), 1, 2, page_shift);
  filter.flush();
  filter.take_in(0x5000);
  filter.take_in(0x6000);
  EXPECT_TRUE(filter.hit(0x5ff8, 8)) << "the page's last bytes";
  EXPECT_FALSE(filter.hit(0x5ff9, 8)) << "into a page that is there, too";
  EXPECT_FALSE(filter.hit(0x6ffd, 4));
  EXPECT_FALSE(filter.hit(0x4fff, 2)) << "from the page before";
  EXPECT_TRUE(filter.hit(0x6000, 1));
  EXPECT_EQ(filter.lookups(), 4U);
}

TEST(FilterTlbFlush, EmptiesEveryEntryAndKeepsTheNumberOfLookUps) {
  std::vector<std::uint64_t> storage(filter_tlb::storage_bytes(2, 2) / 8);
  filter_tlb filter(storage.data(), 2, 2, page_shift);
  filter.flush();
  filter.take_in(0x5000);
  ASSERT_TRUE(filter.hit(0x5000, 1));
  filter.flush();
  EXPECT_FALSE(filter.hit(0x5000, 1));
  EXPECT_EQ(filter.take_in(0x5000).page, ~std::uint64_t{0});
  EXPECT_EQ(filter.lookups(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Geometries, FilterTlb,
                         testing::Values(geometry{16, 4}, geometry{1, 64}, geometry{64, 1},
                                         geometry{8, 3}),
                         [](const testing::TestParamInfo<geometry>& i) {
                           return std::to_string(i.param.sets) + "x" + std::to_string(i.param.ways);
                         });

}  // namespace
}  // namespace numatch::trace
