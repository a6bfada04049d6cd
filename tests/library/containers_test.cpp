// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "library/executors.hpp"
#include "numatch/numa.hpp"

namespace numatch {
namespace {

class Containers : public testing::TestWithParam<way> {
 protected:
  Containers() : nodes_(topology::parse(GetParam().shape), options_of(GetParam())) {}
  runtime nodes_;
};
INSTANTIATE_TEST_SUITE_P(All, Containers, testing::ValuesIn(all_ways()), name_of);

TEST_P(Containers, PerNodeHasOneOnEveryNodeBuiltThere) {
  per_node<std::size_t> where(
      nodes_, [&](std::size_t, std::pmr::memory_resource*) { return nodes_.here(); });
  ASSERT_EQ(where.size(), nodes_.size());
  for (std::size_t node = 0; node < where.size(); ++node) EXPECT_EQ(where[node], node);
  where.for_each([](std::size_t& value) { value += 10; });
  nodes_.for_each_node([&](std::size_t node) { EXPECT_EQ(where.local(), node + 10); });
}

TEST_P(Containers, AVectorIsOneArrayInBlocks) {
  constexpr std::size_t count = 50001;
  partitioned_vector<int> v(nodes_, count, [](std::size_t i) { return static_cast<int>(i); });
  ASSERT_EQ(v.size(), count);
  std::size_t in_blocks = 0;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    in_blocks += v.block(node).size();
    for (const int& element : v.block(node)) {
      ASSERT_EQ(v.owner(static_cast<std::size_t>(element)), node);
    }
  }
  EXPECT_EQ(in_blocks, count);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(v[i], static_cast<int>(i));
}

TEST_P(Containers, AVectorsElementsAreDoneByTheirOwner) {
  partitioned_vector<std::size_t> v(nodes_, 30000, std::size_t{99});
  v.for_each([&](std::size_t& element) { element = nodes_.here(); });
  for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], v.owner(i));
}

TEST_P(Containers, ASumHasTheSameBitsForAnyNumberOfNodes) {
  partitioned_vector<double> v(nodes_, 100000,
                               [](std::size_t i) { return std::sin(static_cast<double>(i)); });
  const auto square = [](double x) { return x * x; };
  runtime alone(topology::parse("node:1 core:1 pu:1"));
  partitioned_vector<double> same(alone, 100000,
                                  [](std::size_t i) { return std::sin(static_cast<double>(i)); });
  const double sum = v.transform_reduce(0.0, std::plus<>(), square);
  const double expected = same.transform_reduce(0.0, std::plus<>(), square);
  EXPECT_EQ(std::memcmp(&sum, &expected, sizeof sum), 0) << sum << " and " << expected;
}

TEST_P(Containers, AnEmptyVectorIsFine) {
  partitioned_vector<double> v(nodes_, 0);
  EXPECT_EQ(v.size(), 0u);
  EXPECT_EQ(v.transform_reduce(1.0, std::plus<>(), [](double x) { return x; }), 1.0);
}

struct counted {
  explicit counted(std::atomic<int>* alive) : alive_(alive) { ++*alive_; }
  ~counted() { --*alive_; }
  std::atomic<int>* alive_;
};

TEST_P(Containers, AVectorEndsWhatItBuiltAlsoWhenBuildingFails) {
  std::atomic<int> alive{0};
  {
    partitioned_vector<counted> v(nodes_, 10000, [&](std::size_t) { return &alive; });
    EXPECT_EQ(alive, 10000);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_THROW(partitioned_vector<counted>(nodes_, 10000,
                                           [&](std::size_t i) {
                                             if (i == 9000) throw std::domain_error("on purpose");
                                             return &alive;
                                           }),
               std::domain_error);
  EXPECT_EQ(alive, 0);
}

TEST_P(Containers, AMapKeepsTheLastValueOfAKey) {
  partitioned_map<int, std::string> map(nodes_);
  EXPECT_TRUE(map.insert_or_assign(5, "a"));
  EXPECT_FALSE(map.insert_or_assign(5, "b"));
  EXPECT_EQ(map.find(5), "b");
  EXPECT_EQ(map.find(6), std::nullopt);
  EXPECT_EQ(map.size(), 1u);
  EXPECT_TRUE(map.erase(5));
  EXPECT_FALSE(map.erase(5));
  EXPECT_EQ(map.size(), 0u);
}

TEST_P(Containers, AMapsBatchesDoWhatSingleCallsDo) {
  partitioned_map<int, int> map(nodes_, 5);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 1000; ++i) pairs.emplace_back(i % 700, i);
  map.insert_or_assign_all(pairs);
  EXPECT_EQ(map.size(), 700u);
  const std::vector<int> keys{0, 299, 300, 699, 700};
  const std::vector<std::optional<int>> found = map.find_all(keys);
  EXPECT_EQ(found, (std::vector<std::optional<int>>{700, 999, 300, 699, std::nullopt}));
}

TEST_P(Containers, AMapWorksAtTheOwnerOfAKey) {
  partitioned_map<int, int> map(nodes_);
  for (int key = 0; key < 30; ++key) {
    const std::size_t node = map.at_owner(key, [&](auto& part) {
      part[key] = key;
      return nodes_.here();
    });
    EXPECT_EQ(node, map.owner(key));
  }
  EXPECT_EQ(map.size(), 30u);
}

}  // namespace
}  // namespace numatch
