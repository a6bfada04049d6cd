// SPDX-License-Identifier: Apache-2.0
#include "live/use_counts.hpp"

#include <gtest/gtest.h>

#include "live/watched_ranges.hpp"

namespace numatch::live {
namespace {

constexpr std::uint64_t ms = 1'000'000;

std::string no_name(pid_t) {
  return "";
}

sensed_use use(pid_t task, std::uint64_t page, std::optional<bool> write, std::uint64_t time = 0) {
  return {task, page * sensed_page_bytes + 8, write, 1, time};
}

profile filled(use_counts& counts, std::uint64_t end = 100 * ms) {
  profile learned;
  learned.command = "test";
  counts.fill(learned, {}, end);
  const result<void> sound = check_profile(learned);
  EXPECT_TRUE(sound) << sound.error().message();
  return learned;
}

TEST(UseCounts, SharingIsTheOraclesOverWhatWasSeen) {
  use_counts counts(0, 16, no_name);
  counts.on_task_start(10, 0);
  counts.on_task_start(11, 0);
  // docs/detectors.md: min(10, 4, 4) + min(3, 7, 7), and what one uses alone.
  const auto repeat = [&](int times, pid_t task, std::uint64_t page, bool write) {
    for (int i = 0; i < times; ++i) counts.on_use(use(task, page, write));
  };
  repeat(10, 10, 1, false);
  repeat(3, 10, 2, false);
  repeat(4, 11, 1, true);
  repeat(7, 11, 2, true);
  repeat(100, 11, 3, true);
  const profile learned = filled(counts);
  EXPECT_EQ(learned.sharing.at(0, 1), 7);
  EXPECT_EQ(learned.sharing.at(1, 0), 7);
  EXPECT_EQ(learned.total_accesses, 124U);
}

TEST(UseCounts, WhatOnlyOneThreadUsesIsNotShared) {
  use_counts counts(0, 16, no_name);
  for (pid_t task = 1; task <= 4; ++task) {
    for (std::uint64_t page = 0; page < 50; ++page) {
      counts.on_use(use(task, static_cast<std::uint64_t>(task) * 100 + page, true));
    }
  }
  EXPECT_EQ(filled(counts).sharing.total(), 0);
}

TEST(UseCounts, AUseThatMayBeAWriteCountsAsOneInTheSharing) {
  use_counts counts(0, 16, no_name);
  counts.on_use(use(1, 5, std::nullopt));
  counts.on_use(use(2, 5, std::nullopt));
  counts.on_use(use(2, 5, std::nullopt));
  const profile learned = filled(counts);
  EXPECT_EQ(learned.sharing.at(0, 1), 1);
  ASSERT_EQ(learned.pages.size(), 2U);
  EXPECT_EQ(learned.pages[1].reads, 2U);
  EXPECT_EQ(learned.pages[1].writes, 0U);
}

TEST(UseCounts, ReadersOfWhatNobodyWritesShareNothing) {
  use_counts counts(0, 16, no_name);
  counts.on_use(use(1, 5, false));
  counts.on_use(use(2, 5, false));
  EXPECT_EQ(filled(counts).sharing.total(), 0);
}

TEST(UseCounts, ThreadsAreNumberedInTheOrderOfTheirStart) {
  use_counts counts(1000 * ms, 16, [](pid_t task) { return "t" + std::to_string(task); });
  counts.on_task_start(30, 0);
  counts.on_task_start(7, 1005 * ms);
  counts.on_use(use(7, 1, true, 1006 * ms));
  counts.on_task_end(7, 1010 * ms);
  const profile learned = filled(counts, 1100 * ms);
  ASSERT_EQ(learned.threads.size(), 2U);
  EXPECT_EQ(learned.threads[0].os_tid, 30U);
  EXPECT_EQ(learned.threads[0].end, 100'000U);
  EXPECT_EQ(learned.threads[1].name, "t7");
  EXPECT_EQ(learned.threads[1].start, 5000U);
  EXPECT_EQ(learned.threads[1].end, 10'000U);
  EXPECT_EQ(learned.threads[1].accesses, 1U);
}

TEST(UseCounts, ATaskNumberThatIsUsedAgainIsAnotherThread) {
  use_counts counts(0, 16, no_name);
  counts.on_task_start(7, 0);
  counts.on_use(use(7, 1, true));
  counts.on_task_end(7, 1);
  counts.on_task_start(7, 2);
  counts.on_use(use(7, 1, true, 3));
  const profile learned = filled(counts);
  EXPECT_EQ(learned.threads.size(), 2U);
  EXPECT_EQ(learned.sharing.at(0, 1), 1);
}

TEST(UseCounts, WindowsBecomeLongerInsteadOfMore) {
  use_counts counts(0, 4, no_name);
  for (std::uint64_t i = 0; i < 100; ++i) counts.on_use(use(1, 5, true, i * 50 * ms));
  const profile learned = filled(counts, 5000 * ms);
  EXPECT_LE(learned.windows.size(), 4U);
  EXPECT_GE(learned.windows.size(), 2U);
  EXPECT_EQ(learned.windows.back().end, 5'000'000U);
  std::uint64_t writes = 0;
  for (const page_use& u : learned.pages) writes += u.writes;
  EXPECT_EQ(writes, 100U);
}

TEST(UseCounts, ObjectsAreNamedByTheirMappings) {
  watched_ranges memory(true);
  mapped_range heap;
  heap.first = 100 * sensed_page_bytes;
  heap.end = 200 * sensed_page_bytes;
  heap.writable = true;
  heap.name = "[heap]";
  mapped_range file = heap;
  file.first = 200 * sensed_page_bytes;
  file.end = 210 * sensed_page_bytes;
  file.name = "/data/table";
  memory.update({heap, file});
  use_counts counts(0, 16, no_name);
  counts.on_use(use(1, 205, true));
  counts.on_use(use(2, 205, true));
  counts.on_use(use(1, 150, true));
  profile learned;
  counts.fill(learned, memory.history(), ms);
  ASSERT_EQ(learned.objects.size(), 2U);
  EXPECT_EQ(learned.objects[0].name, "/data/table");
  EXPECT_EQ(learned.objects[0].shared_pages, 1U);
  EXPECT_EQ(learned.objects[0].bytes, 10 * sensed_page_bytes);
  EXPECT_EQ(learned.objects[0].shared_accesses.at(1), 1U);
  EXPECT_EQ(learned.objects[1].kind, object_kind::heap);
  EXPECT_EQ(learned.objects[1].accesses, 1U);
}

TEST(WatchedRanges, RemembersWhatWasMappedBefore) {
  watched_ranges memory(false);
  mapped_range old;
  old.first = 0x10000;
  old.end = 0x40000;
  old.readable = old.writable = true;
  old.name = "/old";
  EXPECT_TRUE(memory.update({old}));
  EXPECT_FALSE(memory.update({old}));
  mapped_range fresh = old;
  fresh.first = 0x20000;
  fresh.end = 0x30000;
  fresh.name = "/new";
  EXPECT_TRUE(memory.update({fresh}));
  EXPECT_EQ(memory.at(0x10000), nullptr);
  ASSERT_EQ(memory.history().size(), 3U);
  EXPECT_EQ(memory.history().at(0x10000).end, 0x20000U);
  EXPECT_EQ(memory.history().at(0x20000).name, "/new");
  EXPECT_EQ(memory.history().at(0x30000).name, "/old");
}

}  // namespace
}  // namespace numatch::live
