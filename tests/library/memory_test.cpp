// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace numatch {
namespace {

topology two_nodes() {
  return topology::parse("node:2 core:1 pu:1");
}

std::size_t all_bytes(const placement& where) {
  std::size_t sum = where.untouched + where.unknown;
  for (const auto& [node, bytes] : where.bytes_on) sum += bytes;
  return sum;
}

TEST(NodeResource, GivesMemoryThatCanBeUsed) {
  node_resource memory(two_nodes(), 1);
  std::pmr::vector<int> numbers(&memory);
  for (int i = 0; i < 100000; ++i) numbers.push_back(i);
  EXPECT_EQ(numbers[99999], 99999);
  EXPECT_GE(memory.bytes(), 400000u);
}

TEST(NodeResource, GivesEverythingBack) {
  node_resource memory(two_nodes(), 0);
  void* const a = memory.allocate(10000);
  void* const b = memory.allocate(1);
  memory.deallocate(a, 10000);
  memory.deallocate(b, 1);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(NodeResource, KeepsAnyAlignment) {
  for (const page_kind pages : {page_kind::base, page_kind::transparent, page_kind::huge}) {
    node_resource memory(two_nodes(), 0, {pages, placement_rule::prefer});
    for (const std::size_t alignment : {8u, 64u, 4096u, 65536u, 4u << 20}) {
      for (const std::size_t bytes : {1u, 5000u, 3u << 20}) {
        void* const at = memory.allocate(bytes, alignment);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % alignment, 0u);
        std::memset(at, 1, bytes);
        memory.deallocate(at, bytes, alignment);
      }
    }
    EXPECT_EQ(memory.bytes(), 0u);
  }
}

TEST(NodeResource, TooMuchIsBadAlloc) {
  node_resource memory(two_nodes(), 0);
  EXPECT_THROW((void)memory.allocate(SIZE_MAX / 2), std::bad_alloc);
  EXPECT_THROW((void)memory.allocate(SIZE_MAX - 100), std::bad_alloc);
}

TEST(NodeResource, WhereCountsEveryByteTouchedOrNot) {
  node_resource memory(two_nodes(), 0);
  char* const at = static_cast<char*>(memory.allocate(8 * 4096));
  std::memset(at, 1, 3 * 4096);
  const placement where = memory.where();
  EXPECT_EQ(all_bytes(where), memory.bytes());
  if (where.unknown == 0) {
    EXPECT_EQ(where.untouched, 5u * 4096);
  }
  memory.deallocate(at, 8 * 4096);
}

TEST(NodeResource, MigrationKeepsPointersAndContents) {
  node_resource memory(two_nodes(), 0);
  std::pmr::vector<int> numbers(10000, 7, &memory);
  const int* const before = numbers.data();
  memory.migrate(1);
  EXPECT_EQ(memory.node(), 1u);
  EXPECT_EQ(numbers.data(), before);
  EXPECT_EQ(numbers[9999], 7);
}

TEST(NodeResource, HugePagesThatAreNotThereAreReplacedAndSaid) {
  node_resource memory(two_nodes(), 0, {page_kind::huge, placement_rule::prefer});
  void* const at = memory.allocate(4u << 20);
  std::memset(at, 1, 4u << 20);
  if (!memory.problem().empty()) {
    EXPECT_NE(memory.problem().find("huge pages"), std::string::npos);
  }
  memory.deallocate(at, 4u << 20);
}

TEST(InterleavedResource, GivesMemoryThatCanBeUsed) {
  interleaved_resource memory(two_nodes());
  std::pmr::vector<int> numbers(100000, 3, &memory);
  EXPECT_EQ(numbers[99999], 3);
}

TEST(NodeOf, KnowsATouchedByte) {
  std::vector<char> bytes(10000, 1);
  const placement where = placement_of(std::as_bytes(std::span(bytes)));
  if (where.unknown > 0) GTEST_SKIP() << "the kernel does not tell";
  EXPECT_EQ(all_bytes(where), 10000u);
  EXPECT_TRUE(node_of(bytes.data()).has_value());
}

}  // namespace
}  // namespace numatch
