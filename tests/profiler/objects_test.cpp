// SPDX-License-Identifier: Apache-2.0
#include "profiler/objects.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "profiler/synthetic.hpp"

namespace numatch {
namespace {

using trace::event_kind;

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t heap = 0x100000;

struct Objects : testing::Test {
  object_observer observer{page};
  event_maker make;
  profile learned;

  void happen(event_kind kind, std::initializer_list<std::uint64_t> args,
              std::string_view text = {}, std::uint32_t thread = 0) {
    observer.on_event(thread_id{thread}, make(kind, args, text));
  }
  const data_object* find(std::string_view name) {
    for (const data_object& object : learned.objects) {
      if (object.name == name) return &object;
    }
    return nullptr;
  }
};

TEST_F(Objects, BlocksOfOneSiteAreOneObject) {
  happen(event_kind::allocate, {heap, page, 0x4001});
  happen(event_kind::allocate, {heap + page, page, 0x4001});
  happen(event_kind::allocate, {heap + 2 * page, page, 0x5001});
  touch(observer, 0, heap, 3);
  touch(observer, 0, heap + page, 4);
  touch(observer, 0, heap + 2 * page, 5);
  ASSERT_TRUE(observer.finish(learned));
  ASSERT_EQ(learned.objects.size(), 2U);
  const data_object* const both = find("allocated at 0x4001");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->accesses, 7U);
  EXPECT_EQ(both->blocks, 2U);
  EXPECT_EQ(both->bytes, 2 * page);
  EXPECT_EQ(both->kind, object_kind::heap);
}

TEST_F(Objects, OnlyPagesOfTwoThreadsAreShared) {
  happen(event_kind::allocate, {heap, 2 * page, 0x4001});
  touch(observer, 0, heap, 10);
  touch(observer, 1, heap + 8, 2);
  touch(observer, 1, heap + page, 100);
  ASSERT_TRUE(observer.finish(learned));
  ASSERT_EQ(learned.objects.size(), 1U);
  EXPECT_EQ(learned.objects[0].accesses, 112U);
  EXPECT_EQ(learned.objects[0].shared_pages, 1U);
  const std::map<std::uint32_t, std::uint64_t> expected{{0, 10}, {1, 2}};
  EXPECT_EQ(learned.objects[0].shared_accesses, expected);
}

TEST_F(Objects, APageIsSharedThroughDifferentObjects) {
  happen(event_kind::allocate, {heap, 64, 0x4001});
  happen(event_kind::allocate, {heap + 64, 64, 0x5001});
  touch(observer, 0, heap, 1);
  touch(observer, 1, heap + 64, 1);
  ASSERT_TRUE(observer.finish(learned));
  ASSERT_EQ(learned.objects.size(), 2U);
  EXPECT_EQ(learned.objects[0].shared_pages, 1U);
  EXPECT_EQ(learned.objects[1].shared_pages, 1U);
}

TEST_F(Objects, AnAddressBelongsToTheBlockThatLivesThere) {
  happen(event_kind::allocate, {heap, 128, 0x4001});
  touch(observer, 0, heap, 1);
  happen(event_kind::free, {heap});
  touch(observer, 0, heap, 2);
  happen(event_kind::allocate, {heap, 64, 0x5001});
  touch(observer, 0, heap, 4);
  touch(observer, 0, heap + 64, 8);
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(find("allocated at 0x4001")->accesses, 1U);
  EXPECT_EQ(find("allocated at 0x5001")->accesses, 4U);
  EXPECT_EQ(find("unknown")->accesses, 10U);
}

TEST_F(Objects, ABlockThatOneThreadReplacesIsNewToAllThreads) {
  for (const std::uint64_t bytes : {page, 300 * page}) {
    happen(event_kind::allocate, {heap, bytes, 0x4001});
    touch(observer, 0, heap, 1);
    touch(observer, 1, heap, 1);
    happen(event_kind::free, {heap}, {}, 1);
    happen(event_kind::allocate, {heap, bytes, 0x5001}, {}, 1);
    touch(observer, 0, heap, 10);
    touch(observer, 1, heap, 10);
    happen(event_kind::free, {heap}, {}, 0);
  }
  ASSERT_TRUE(observer.finish(learned));
  ASSERT_NE(find("allocated at 0x5001"), nullptr);
  EXPECT_EQ(find("allocated at 0x4001")->accesses, 4U);
  EXPECT_EQ(find("allocated at 0x5001")->accesses, 40U);
}

TEST_F(Objects, ALateFreeOfAnEarlierBlockChangesNothing) {
  const trace::event first = make(event_kind::allocate, {heap, 64, 0x4001});
  const trace::event freed = make(event_kind::free, {heap});
  const trace::event second = make(event_kind::allocate, {heap, 64, 0x5001});
  observer.on_event(thread_id{0}, first);
  observer.on_event(thread_id{1}, second);
  observer.on_event(thread_id{0}, freed);
  touch(observer, 1, heap, 4);
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(find("allocated at 0x5001")->accesses, 4U);
}

TEST_F(Objects, BytesAreTheLargestAmountAliveAtOnce) {
  for (int round = 0; round < 3; ++round) {
    happen(event_kind::allocate, {heap, 100, 0x4001});
    touch(observer, 0, heap, 1);
    happen(event_kind::free, {heap});
  }
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(learned.objects.at(0).bytes, 100U);
  EXPECT_EQ(learned.objects.at(0).blocks, 3U);
}

TEST_F(Objects, AStackBelongsToItsThread) {
  happen(event_kind::map, {heap, 4 * page, 3, 0x22}, "", 0);
  happen(event_kind::stack, {heap + page, 2 * page}, "", 5);
  touch(observer, 5, heap + page, 3);
  touch(observer, 5, heap, 1);
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(find("stack of thread 5")->accesses, 3U);
  EXPECT_EQ(find("stack of thread 5")->kind, object_kind::stack);
  EXPECT_EQ(find("anonymous mapping")->accesses, 1U);
}

TEST_F(Objects, ALabelNamesABlockAndKeepsItsKind) {
  happen(event_kind::allocate, {heap, 2 * page, 0x4001});
  happen(event_kind::label, {heap, page}, "grid");
  touch(observer, 0, heap, 3);
  touch(observer, 0, heap + page, 1);
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(find("grid")->accesses, 3U);
  EXPECT_EQ(find("grid")->kind, object_kind::heap);
  EXPECT_EQ(find("grid")->bytes, page);
  EXPECT_EQ(find("allocated at 0x4001")->accesses, 1U);
}

TEST_F(Objects, AnUnmappedRangeIsForgotten) {
  happen(event_kind::map, {heap, 2 * page, 3, 2}, "/data/table.bin");
  touch(observer, 0, heap, 3);
  happen(event_kind::unmap, {heap, page});
  touch(observer, 0, heap, 1);
  touch(observer, 0, heap + page, 1);
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(find("/data/table.bin")->accesses, 4U);
  EXPECT_EQ(find("/data/table.bin")->kind, object_kind::mapping);
  EXPECT_EQ(find("unknown")->accesses, 1U);
}

TEST_F(Objects, AMovedMappingIsKnownAtItsNewPlace) {
  happen(event_kind::map, {heap, page, 3, 0x22});
  happen(event_kind::remap, {heap, page, 2 * heap, 2 * page});
  touch(observer, 0, 2 * heap + page, 3);
  touch(observer, 0, heap, 1);
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(find("anonymous mapping")->accesses, 3U);
  EXPECT_EQ(find("unknown")->accesses, 1U);
}

TEST_F(Objects, TheHeapBeginsAtTheFirstBreak) {
  happen(event_kind::heap_end, {heap});
  happen(event_kind::heap_end, {heap + 4 * page});
  touch(observer, 0, heap + page, 3);
  ASSERT_TRUE(observer.finish(learned));
  EXPECT_EQ(find("heap outside known blocks")->accesses, 3U);
  EXPECT_EQ(find("heap outside known blocks")->bytes, 4 * page);
}

TEST_F(Objects, VariablesOfASystemLibraryAreOneObject) {
  constexpr std::uint64_t text = heap;
  constexpr std::uint64_t data = heap + 4 * page;
  const char* const path = "/usr/lib/libnone.so.1";
  happen(event_kind::module, {text, 4 * page, 0, PROT_READ | PROT_EXEC}, path);
  happen(event_kind::module, {data, 2 * page, 4 * page, PROT_READ | PROT_WRITE}, path);
  happen(event_kind::module, {data, 2 * page, 4 * page, PROT_READ | PROT_WRITE}, path);
  touch(observer, 0, data + 8, 3);
  touch(observer, 0, data + page, 4);
  ASSERT_TRUE(observer.finish(learned));
  ASSERT_EQ(learned.objects.size(), 1U);
  EXPECT_EQ(learned.objects[0].name, "data of libnone.so.1");
  EXPECT_EQ(learned.objects[0].accesses, 7U);
  EXPECT_EQ(learned.objects[0].bytes, 2 * page) << "without the code, however often it is reported";
}

TEST_F(Objects, TheMostSharedComesFirst) {
  happen(event_kind::allocate, {heap, page, 0x4001});
  happen(event_kind::allocate, {heap + page, page, 0x5001});
  touch(observer, 0, heap, 1000);
  touch(observer, 0, heap + page, 1);
  touch(observer, 1, heap + page, 1);
  ASSERT_TRUE(observer.finish(learned));
  ASSERT_EQ(learned.objects.size(), 2U);
  EXPECT_EQ(learned.objects[0].name, "allocated at 0x5001");
}

}  // namespace
}  // namespace numatch
