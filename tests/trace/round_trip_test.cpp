// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "trace/recording.hpp"

namespace numatch::trace {
namespace {

std::vector<access> record_one_thread(const std::filesystem::path& file,
                                      const std::vector<access>& accesses) {
  recording made(file);
  thread_recorder* t = begin_thread(made.inside, 1, ~0U);
  for (const access& a : accesses) record_access(t, a.pc, a.address, a.bytes, a.write);
  end_thread(t);
  made.finish_trace();
  return read_accesses(value_of(reader::open(file)), 0).accesses;
}

TEST(RoundTrip, AnEmptyThreadHasItsTwoEvents) {
  const scratch_folder folder;
  EXPECT_TRUE(record_one_thread(folder / "empty.nmt", {}).empty());
  const reader trace = value_of(reader::open(folder / "empty.nmt"));
  ASSERT_EQ(trace.threads().size(), 1U);
  EXPECT_EQ(trace.threads()[0].events, 2U);
  EXPECT_EQ(trace.metadata().frontend, "test");
}

TEST(RoundTrip, ALoopIsRecordedExactly) {
  const scratch_folder folder;
  std::vector<access> loop;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    loop.push_back({0x10000 + 8 * i, 0x400100, 8, false});
    loop.push_back({0x90000 + 8 * i, 0x400108, 8, false});
    loop.push_back({0xf0000 + 8 * i, 0x400110, 8, true});
  }
  EXPECT_EQ(record_one_thread(folder / "loop.nmt", loop), loop);
  EXPECT_LT(std::filesystem::file_size(folder / "loop.nmt"), 4000U) << "predicted, nearly free";
}

TEST(RoundTrip, MoreSitesThanAChunkMayHaveBeginNewChunks) {
  const scratch_folder folder;
  std::vector<access> many;
  for (std::uint64_t i = 0; i < 40000; ++i) many.push_back({i * i, i * 3, 4, i % 3 == 0});
  EXPECT_EQ(record_one_thread(folder / "sites.nmt", many), many);
  EXPECT_GT(value_of(reader::open(folder / "sites.nmt")).chunks().size(), 5U);
}

rc::Gen<access> any_access() {
  return rc::gen::build<access>(
      rc::gen::set(&access::address, rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(),
                                                    rc::gen::inRange<std::uint64_t>(0, 64))),
      rc::gen::set(&access::pc, rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(),
                                               rc::gen::inRange<std::uint64_t>(0, 4))),
      rc::gen::set(&access::bytes, rc::gen::element<std::uint32_t>(1, 2, 8, 64, 0xffffffff)),
      rc::gen::set(&access::write));
}

RC_GTEST_PROP(RoundTrip, AnySequenceComesBack, ()) {
  const auto few = *rc::gen::container<std::vector<access>>(any_access());
  const unsigned repeats = *rc::gen::element(1U, 2U, 50U);
  std::vector<access> accesses;
  for (unsigned i = 0; i < repeats; ++i) accesses.insert(accesses.end(), few.begin(), few.end());
  const scratch_folder folder;
  RC_ASSERT(record_one_thread(folder / "any.nmt", accesses) == accesses);
}

TEST(RoundTrip, EventsEndBlocksAndKeepTheirPlace) {
  const scratch_folder folder;
  recording made(folder / "events.nmt");
  thread_recorder* t = begin_thread(made.inside, 77, 5);
  const std::uint64_t args[] = {0x1000, 4096};
  for (unsigned i = 0; i < 10; ++i) record_access(t, 0x40, 0x1000 + 8 * i, 8, true);
  record_event(t, event_kind::label, args, 2, "table", 5);
  for (unsigned i = 0; i < 5; ++i) record_access(t, 0x40, 0x2000 + 8 * i, 8, false);
  end_thread(t);
  made.finish_trace();

  const reader trace = value_of(reader::open(folder / "events.nmt"));
  const thread_accesses all = read_accesses(trace, 0);
  ASSERT_EQ(all.blocks.size(), 2U);
  EXPECT_EQ(all.blocks[1].first_position, 10U);
  event_cursor events = trace.events_of(thread_id(0));
  EXPECT_EQ(value_of(events.next())->args[0], 77U);
  const event* label = value_of(events.next());
  ASSERT_EQ(label->kind, event_kind::label);
  EXPECT_EQ(label->position, 10U);
  EXPECT_EQ(label->args[1], 4096U);
  EXPECT_EQ(label->text, "table");
  EXPECT_GT(label->stamp, all.blocks[0].stamp);
  EXPECT_LT(label->stamp, all.blocks[1].stamp);
  EXPECT_EQ(value_of(events.next())->kind, event_kind::thread_end);
  EXPECT_EQ(value_of(events.next()), nullptr);
}

TEST(RoundTrip, InstructionsOfAllBlocksAddUp) {
  const scratch_folder folder;
  recording made(folder / "instructions.nmt");
  thread_recorder* t = begin_thread(made.inside, 1, ~0U);
  record_instructions(t, 1000);
  for (unsigned i = 0; i < 3 * block_accesses; ++i) {
    record_instructions(t, 4);
    record_access(t, 0x40, 0x1000 + 8 * i, 8, true);
  }
  record_instructions(t, 50);
  end_thread(t);
  made.finish_trace();

  const reader trace = value_of(reader::open(folder / "instructions.nmt"));
  EXPECT_EQ(trace.instructions(), 1050U + 12 * block_accesses);
  const thread_accesses all = read_accesses(trace, 0);
  ASSERT_EQ(all.blocks.size(), 3U);
  EXPECT_EQ(all.blocks[0].instructions, 1000 + 4 * block_accesses);
  EXPECT_EQ(all.blocks[1].instructions, 4 * block_accesses);
  EXPECT_EQ(all.blocks[2].instructions, 4 * block_accesses + 50);
}

TEST(RoundTrip, ManyThreadsAtOnceKeepTheirOwnStreams) {
  const scratch_folder folder;
  recording made(folder / "threads.nmt");
  constexpr unsigned count = 8;
  const auto address_of = [](std::uint64_t id, std::uint64_t i) { return id << 32 | i * i * 7; };
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < count; ++number) {
    threads.emplace_back([&] {
      thread_recorder* t = begin_thread(made.inside, 1, 0);
      for (std::uint64_t i = 0; i < 100000; ++i) {
        record_access(t, i % 5, address_of(id_of(t), i), 8, false);
      }
      end_thread(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  made.finish_trace();
  const reader trace = value_of(reader::open(folder / "threads.nmt"));
  ASSERT_EQ(trace.threads().size(), count);
  for (std::uint32_t id = 0; id < count; ++id) {
    const std::vector<access> accesses = read_accesses(trace, id).accesses;
    ASSERT_EQ(accesses.size(), 100000U);
    for (std::uint64_t i = 0; i < accesses.size(); ++i) {
      ASSERT_EQ(accesses[i].address, address_of(id, i));
    }
  }
}

TEST(RoundTrip, FiveThousandThreadsOneAfterTheOtherAndLiveAtOnce) {
  const scratch_folder folder;
  recording made(folder / "five.nmt");
  std::vector<thread_recorder*> live;
  for (unsigned i = 0; i < 5000; ++i) {
    live.push_back(begin_thread(made.inside, i, ~0U));
    ASSERT_NE(live.back(), nullptr);
    record_access(live.back(), 1, i, 8, true);
  }
  for (thread_recorder* t : live) end_thread(t);
  for (unsigned i = 0; i < 100; ++i) end_thread(begin_thread(made.inside, i, ~0U));
  made.finish_trace();
  const reader trace = value_of(reader::open(folder / "five.nmt"));
  EXPECT_EQ(trace.threads().size(), 5100U);
  EXPECT_EQ(trace.accesses(), 5000U);
}

}  // namespace
}  // namespace numatch::trace
