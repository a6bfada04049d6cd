// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/replicated.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "library/executors.hpp"

namespace numatch {
namespace {

using numbers = std::pmr::vector<int>;

class Replicated : public testing::TestWithParam<way> {
 protected:
  Replicated() : nodes_(topology::parse(GetParam().shape), options_of(GetParam())) {}
  runtime nodes_;
};
INSTANTIATE_TEST_SUITE_P(All, Replicated, testing::ValuesIn(all_ways()), name_of);

TEST_P(Replicated, EveryNodeHasItsOwnEqualCopy) {
  const replicated<numbers> table(nodes_, numbers(100, 7));
  std::set<const numbers*> copies;
  for (std::size_t node = 0; node < table.size(); ++node) {
    EXPECT_EQ(*table.snapshot(node), numbers(100, 7));
    copies.insert(table.snapshot(node).get());
  }
  EXPECT_EQ(copies.size(), nodes_.size());
}

TEST_P(Replicated, ACopysContainersAreInItsNodesMemory) {
  const replicated<numbers> table(nodes_, numbers(100, 7));
  if (nodes_.size() == 1) GTEST_SKIP() << "one node takes the value as it is";
  for (std::size_t node = 0; node < table.size(); ++node) {
    EXPECT_EQ(table.snapshot(node)->get_allocator().resource(), nodes_.memory(node));
  }
}

TEST(ReplicatedOnOneNode, TakesTheValueWithoutACopy) {
  runtime nodes(topology::parse("node:1 core:2 pu:1"));
  numbers value(100, 7);
  const int* const before = value.data();
  const replicated<numbers> table(nodes, std::move(value));
  EXPECT_EQ(table.snapshot()->data(), before);
}

TEST_P(Replicated, AThreadReadsTheCopyOfItsNode) {
  const replicated<numbers> table(nodes_, numbers(1, 1));
  nodes_.for_each_node(
      [&](std::size_t node) { EXPECT_EQ(table.snapshot(), table.snapshot(node)); });
}

TEST_P(Replicated, AnUpdateReachesEveryCopyAndOldSnapshotsStay) {
  replicated<numbers> table(nodes_, numbers(10, 1));
  const std::shared_ptr<const numbers> before = table.snapshot(0);
  table.update([](numbers& copy) { copy.push_back(2); });
  EXPECT_EQ(before->size(), 10u);
  for (std::size_t node = 0; node < table.size(); ++node) {
    EXPECT_EQ(table.snapshot(node)->size(), 11u);
  }
}

TEST_P(Replicated, AFailedUpdateChangesNothing) {
  replicated<numbers> table(nodes_, numbers(10, 1));
  const std::size_t last = nodes_.size() - 1;
  EXPECT_THROW(table.update([&](numbers& copy) {
    copy.clear();
    if (nodes_.here() == last) throw std::range_error("on purpose");
  }),
               std::range_error);
  for (std::size_t node = 0; node < table.size(); ++node) {
    EXPECT_EQ(table.snapshot(node)->size(), 10u);
  }
}

TEST_P(Replicated, NoReaderSeesHalfAnUpdate) {
  replicated<numbers> table(nodes_, numbers(1000, 0));
  std::atomic<bool> stop{false};
  std::atomic<bool> torn{false};
  std::vector<std::thread> readers;
  for (std::size_t r = 0; r < 2; ++r) {
    readers.emplace_back([&, r] {
      while (!stop) {
        const std::shared_ptr<const numbers> now = table.snapshot(r % table.size());
        for (const int value : *now) {
          if (value != now->front()) torn = true;
        }
      }
    });
  }
  for (int round = 1; round <= 30; ++round) {
    table.update([round](numbers& copy) {
      for (int& value : copy) value = round;
    });
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_FALSE(torn);
  EXPECT_EQ(table.snapshot()->back(), 30);
}

}  // namespace
}  // namespace numatch
