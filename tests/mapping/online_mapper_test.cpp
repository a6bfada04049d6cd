// SPDX-License-Identifier: Apache-2.0
#include "mapping/online_mapper.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "mapping/patterns.hpp"

namespace {
thread_local std::size_t allocations = 0;
}

// Counts what the thread allocates, in the whole test program. Never inlined: GCC would see
// malloc() and free() without the operators between them, and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace numatch {
namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

thread_mapping mapped(std::span<const pu_id> pu_of) {
  return {{pu_of.begin(), pu_of.end()}};
}

TEST(OnlineMapper, KeepsTogetherWhatShares) {
  const topology where = machine("numa:4 core:4 pu:2");
  const distance_table distances(where);
  online_mapper mapper = online_mapper::make(where, distances, 32, fill_policy::automatic).value();
  const sharing_matrix four = clusters(32, 4);
  EXPECT_EQ(share_in_node(four, mapped(mapper.map(four, 0)), where), 1);
}

TEST(OnlineMapper, AllocatesNothingAfterItWasMade) {
  const topology where = machine("numa:4 core:8 pu:2");
  const distance_table distances(where);
  for (const std::size_t threads : {24U, 64U, 256U}) {
    online_mapper mapper =
        online_mapper::make(where, distances, threads, fill_policy::automatic).value();
    const sharing_matrix shapes[] = {ring(threads), clusters(threads, 4), sharing_matrix(threads),
                                     clusters(threads, 1)};
    const std::size_t before = allocations;
    for (const sharing_matrix& sharing : shapes) mapper.map(sharing, 1);
    EXPECT_EQ(allocations, before) << threads << " threads";
  }
}

TEST(OnlineMapper, AllocatesNothingForManyThreadsEither) {
  const topology where = machine("numa:8 core:20 pu:8");
  const distance_table distances(where);
  constexpr std::size_t threads = 1280;
  online_mapper mapper =
      online_mapper::make(where, distances, threads, fill_policy::automatic).value();
  const sharing_matrix shapes[] = {ring(threads), clusters(threads, 8), clusters(threads, 160)};
  const std::size_t before = allocations;
  for (const sharing_matrix& sharing : shapes) mapper.map(sharing, 1);
  EXPECT_EQ(allocations, before);
}

TEST(OnlineMapper, MovesAmongManyThreadsOnlyThoseWhoseMovePays) {
  const topology where = machine("numa:8 core:20 pu:8");
  const distance_table distances(where);
  constexpr std::size_t threads = 1280;
  online_mapper mapper =
      online_mapper::make(where, distances, threads, fill_policy::automatic).value();
  sharing_matrix sharing = ring(threads);
  const thread_mapping first = mapped(mapper.map(sharing, 0));
  // Two threads that are far apart begin to share more than all their neighbours do.
  std::size_t far = 1;
  while (where.node_of(first.pu_of[far]) == where.node_of(first.pu_of[0])) ++far;
  sharing.set(0, far, 1e6);
  EXPECT_EQ(mapped(mapper.map(sharing, 1e9)).pu_of, first.pu_of);
  const thread_mapping next = mapped(mapper.map(sharing, 1e4));
  EXPECT_EQ(where.node_of(next.pu_of[far]), where.node_of(next.pu_of[0]));
  std::size_t moved = 0;
  for (std::size_t t = 0; t < threads; ++t) moved += next.pu_of[t] != first.pu_of[t] ? 1 : 0;
  EXPECT_EQ(moved, 2U);
}

TEST(OnlineMapper, StaysWhereItIsWhileTheMatrixStaysTheSame) {
  const topology where = machine("numa:4 core:8 pu:2");
  const distance_table distances(where);
  online_mapper mapper = online_mapper::make(where, distances, 64, fill_policy::automatic).value();
  const thread_mapping first = mapped(mapper.map(ring(64), 0.1));
  EXPECT_EQ(mapped(mapper.map(ring(64), 0.1)).pu_of, first.pu_of);
}

TEST(OnlineMapper, FollowsAProgramThatChangesItsPattern) {
  const topology where = machine("numa:4 core:4 pu:1");
  const distance_table distances(where);
  online_mapper mapper = online_mapper::make(where, distances, 16, fill_policy::automatic).value();
  mapper.map(ring(16), 0.1);
  const sharing_matrix four = clusters(16, 4);
  EXPECT_EQ(share_in_node(four, mapped(mapper.map(four, 0.1)), where), 1);
}

TEST(OnlineMapper, MovesNobodyWhenMovesAreTooDear) {
  const topology where = machine("numa:4 core:4 pu:1");
  const distance_table distances(where);
  online_mapper mapper = online_mapper::make(where, distances, 16, fill_policy::automatic).value();
  const thread_mapping first = mapped(mapper.map(ring(16), 0));
  EXPECT_EQ(mapped(mapper.map(clusters(16, 4), 1e9)).pu_of, first.pu_of);
}

TEST(OnlineMapper, StartingOverAnswersAsTheFirstTime) {
  const topology where = machine("numa:4 core:4 pu:1");
  const distance_table distances(where);
  online_mapper mapper = online_mapper::make(where, distances, 16, fill_policy::automatic).value();
  const thread_mapping first = mapped(mapper.map(clusters(16, 4), 0));
  mapper.map(ring(16), 0);
  mapper.start_over();
  EXPECT_EQ(mapped(mapper.map(clusters(16, 4), 1e9)).pu_of, first.pu_of);
}

TEST(OnlineMapper, MovingToAnEmptyPuIsOneMove) {
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table distances(where);
  online_mapper mapper = online_mapper::make(where, distances, 3, fill_policy::pack).value();
  sharing_matrix sharing(3);
  sharing.set(0, 1, 5);
  sharing.set(1, 2, 1);
  const thread_mapping first = mapped(mapper.map(sharing, 0));
  ASSERT_EQ(where.node_of(first.pu_of[0]), where.node_of(first.pu_of[1]));
  // Thread 2 is alone on its node. Bringing thread 0 to the empty PU beside it gains 2 x (5 - 2).
  sharing_matrix changed(3);
  changed.set(0, 1, 2);
  changed.set(0, 2, 5);
  EXPECT_EQ(mapped(mapper.map(changed, 6.5)).pu_of, first.pu_of);
  const thread_mapping next = mapped(mapper.map(changed, 4));
  EXPECT_EQ(where.node_of(next.pu_of[0]), where.node_of(next.pu_of[2]));
}

TEST(OnlineMapper, UsesTheAllowedPusOnly) {
  const topology where = machine("numa:2 core:4 pu:1");
  const distance_table distances(where);
  const std::vector<pu_id> allowed{pu_id(1), pu_id(2), pu_id(6), pu_id(7)};
  online_mapper mapper =
      online_mapper::make(where, distances, 4, fill_policy::automatic, allowed).value();
  for (const pu_id pu : mapper.map(ring(4), 0)) {
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), pu), allowed.end());
  }
}

TEST(OnlineMapper, RefusesAllowedPusThatDoNotExist) {
  const topology where = machine("numa:2 core:2 pu:1");
  const pu_id allowed[] = {pu_id(0), pu_id(4)};
  const auto mapper =
      online_mapper::make(where, distance_table(where), 2, fill_policy::automatic, allowed);
  ASSERT_FALSE(mapper);
  EXPECT_TRUE(contains(mapper.error().message(), "there is no PU 4"));
}

TEST(OnlineMapper, RefusesDistancesThatDoNotFollowTheTree) {
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table crossed =
      distance_table::from_cells(4, {0, 9, 1, 9, 9, 0, 9, 1, 1, 9, 0, 9, 9, 1, 9, 0}).value();
  const auto mapper = online_mapper::make(where, crossed, 4, fill_policy::automatic);
  ASSERT_FALSE(mapper);
  EXPECT_TRUE(contains(mapper.error().message(), "do not follow the tree"));
}

}  // namespace
}  // namespace numatch
