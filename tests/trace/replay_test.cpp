// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/replay.hpp"

#include <gtest/gtest.h>

#include "trace/recording.hpp"

namespace numatch::trace {
namespace {

constexpr std::uint64_t start_of(std::uint64_t thread) {
  return std::uint64_t{1} << 63 | thread;
}

void happen(thread_recorder* t, event_kind kind, std::uint64_t object) {
  record_event(t, kind, &object, 1);
}

void touch(thread_recorder* t, std::uint64_t count, std::uint64_t address) {
  for (std::uint64_t i = 0; i < count; ++i) {
    record_instructions(t, 1);
    record_access(t, 0x400000, address, 8, true);
  }
}

struct seen {
  std::uint32_t thread;
  std::uint64_t time;
  std::uint64_t accesses;
  std::uint64_t address;
  event_kind kind;
};

std::vector<seen> replay_all(const reader& trace, const replay_options& options = {}) {
  std::vector<seen> all;
  replay order = value_of(replay::open(trace, options));
  for (;;) {
    const step next = value_of(order.next());
    if (order.done()) return all;
    all.push_back({next.thread.value, next.time, next.accesses.size(),
                   next.accesses.empty() ? 0 : next.accesses[0].address,
                   next.happened != nullptr ? next.happened->kind : event_kind{}});
  }
}

std::vector<seen> accesses_in(const std::vector<seen>& steps) {
  std::vector<seen> some;
  for (const seen& s : steps) {
    if (s.accesses != 0) some.push_back(s);
  }
  return some;
}

class Replay : public testing::Test {
 protected:
  scratch_folder folder_;
  recording made_{folder_ / "replay.nmt"};
  thread_recorder* begin() { return begin_thread(made_.inside, 1, ~0U); }
  reader read() {
    made_.finish_trace();
    return value_of(reader::open(folder_ / "replay.nmt"));
  }
};

TEST_F(Replay, ThreadsWithoutSynchronisationTakeTurnsOfAboutAQuantum) {
  thread_recorder* a = begin();
  thread_recorder* b = begin();
  touch(a, 50000, 0x1000);
  touch(b, 50000, 0x2000);
  end_thread(a);
  end_thread(b);
  const std::vector<seen> steps = accesses_in(replay_all(read()));
  std::uint64_t clocks[] = {0, 0};
  int leads[] = {0, 0};
  std::uint32_t running = 0;
  int turns = 1;
  for (const seen& step : steps) {
    if (step.thread != running) {
      ASSERT_LE(clocks[step.thread], clocks[running]) << "the lowest clock runs next";
      running = step.thread;
      ++turns;
    }
    EXPECT_EQ(step.time, clocks[step.thread]);
    EXPECT_LE(step.accesses, 2000U);
    clocks[step.thread] += step.accesses;
    ++leads[clocks[0] > clocks[1] ? 0 : 1];
  }
  EXPECT_EQ(clocks[0], 50000U);
  EXPECT_EQ(clocks[1], 50000U);
  EXPECT_GT(leads[0], 10) << "they overtake each other";
  EXPECT_GT(leads[1], 10);
  EXPECT_GT(turns, 40) << "100 turns of 1000 accesses, but often two in a row";
}

TEST_F(Replay, AnAcquireWaitsForTheReleaseAndTakesItsTime) {
  thread_recorder* worker = begin();
  thread_recorder* first = begin();
  touch(first, 5000, 0x1000);
  happen(first, event_kind::release, 42);
  happen(worker, event_kind::acquire, 42);
  touch(worker, 10, 0x2000);
  end_thread(worker);
  end_thread(first);
  std::uint64_t before = 0;
  for (const seen& s : replay_all(read())) {
    if (s.thread == 1) before += s.accesses;
    if (s.thread == 0 && s.accesses != 0) {
      EXPECT_EQ(before, 5000U);
      EXPECT_EQ(s.time, 5000U);
    }
  }
}

TEST_F(Replay, AnAcquireIgnoresReleasesWithLaterStamps) {
  thread_recorder* a = begin();
  thread_recorder* b = begin();
  happen(a, event_kind::acquire, 7);
  touch(a, 10, 0x1000);
  touch(b, 5000, 0x2000);
  happen(b, event_kind::release, 7);
  end_thread(a);
  end_thread(b);
  const std::vector<seen> steps = accesses_in(replay_all(read()));
  EXPECT_EQ(steps[0].thread, 0U);
  EXPECT_EQ(steps[0].time, 0U);
}

TEST_F(Replay, ABarrierHoldsEveryThreadUntilTheLastOne) {
  std::vector<thread_recorder*> threads;
  for (unsigned i = 0; i < 4; ++i) threads.push_back(begin());
  for (unsigned i = 0; i < 4; ++i) touch(threads[i], 100 + 1000 * i, 0x1000);
  for (thread_recorder* t : threads) happen(t, event_kind::release, 9);
  for (thread_recorder* t : threads) happen(t, event_kind::acquire, 9);
  for (thread_recorder* t : threads) touch(t, 1, 0x9000);
  for (thread_recorder* t : threads) end_thread(t);
  unsigned behind = 0;
  for (const seen& s : accesses_in(replay_all(read()))) {
    if (s.address != 0x9000) {
      EXPECT_EQ(behind, 0U) << "nobody passes before all have come";
    } else {
      EXPECT_EQ(s.time, 3100U);
      ++behind;
    }
  }
  EXPECT_EQ(behind, 4U);
}

TEST_F(Replay, ThousandsOfThreadsStartWhereTheirCreatorReleasedThem) {
  constexpr unsigned count = 3000;
  thread_recorder* main_thread = begin();
  std::vector<thread_recorder*> threads;
  for (unsigned i = 1; i <= count; ++i) {
    touch(main_thread, 3, 0x1000);
    happen(main_thread, event_kind::release, start_of(i));
    threads.push_back(begin());
    happen(threads.back(), event_kind::acquire, start_of(i));
  }
  for (thread_recorder* t : threads) touch(t, 1, 0x9000);
  for (thread_recorder* t : threads) end_thread(t);
  end_thread(main_thread);
  unsigned started = 0;
  for (const seen& s : accesses_in(replay_all(read()))) {
    if (s.thread == 0) continue;
    EXPECT_EQ(s.time, 3 * s.thread);
    ++started;
  }
  EXPECT_EQ(started, count);
}

TEST_F(Replay, OnlyTheRegionOfInterestIsHandedOutWhenAsked) {
  thread_recorder* a = begin();
  thread_recorder* b = begin();
  touch(a, 1000, 0x1000);
  record_event(a, event_kind::roi_begin, nullptr, 0);
  touch(a, 700, 0x2000);
  record_event(a, event_kind::roi_end, nullptr, 0);
  touch(a, 1000, 0x3000);
  happen(b, event_kind::release, 1);
  end_thread(a);
  end_thread(b);
  const reader trace = read();
  std::uint64_t inside = 0;
  for (const seen& s : accesses_in(replay_all(trace, {1000, true}))) {
    EXPECT_EQ(s.address, 0x2000U);
    inside += s.accesses;
  }
  EXPECT_EQ(inside, 700U);
  std::uint64_t all = 0;
  for (const seen& s : accesses_in(replay_all(trace))) all += s.accesses;
  EXPECT_EQ(all, 2700U);
}

TEST_F(Replay, TheSameTraceGivesTheSameStepsTwice) {
  thread_recorder* a = begin();
  thread_recorder* b = begin();
  for (unsigned i = 0; i < 50; ++i) {
    touch(a, 37, i);
    happen(a, event_kind::release, 3);
    happen(b, event_kind::acquire, 3);
    touch(b, 91, i);
  }
  end_thread(a);
  end_thread(b);
  const reader trace = read();
  const std::vector<seen> once = replay_all(trace);
  const std::vector<seen> again = replay_all(trace);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].thread, again[i].thread);
    EXPECT_EQ(once[i].time, again[i].time);
    EXPECT_EQ(once[i].accesses, again[i].accesses);
  }
}

TEST(FilteredReplay, HandsOutEveryRecordAndTheFlushBeforeTheEnd) {
  const scratch_folder folder;
  recording made(folder / "filtered.nmt", filter_options{4, 2, 4096});
  thread_recorder* t = begin_thread(made.inside, 1, ~0U);
  for (std::uint64_t page = 0; page < 10; ++page) {
    for (unsigned i = 0; i < 3; ++i) record_access(t, 1, page << 12 | i, 8, false);
  }
  end_thread(t);
  made.finish_trace();
  const reader trace = value_of(reader::open(folder / "filtered.nmt"));
  ASSERT_TRUE(trace.tlb_filtered());
  EXPECT_EQ(trace.accesses(), 30U);
  replay order = value_of(replay::open(trace, {}));
  std::uint64_t misses = 0;
  std::uint64_t evicted_accesses = 0;
  for (;;) {
    const step next = value_of(order.next());
    if (order.done()) break;
    for (const tlb_record& record : next.tlb_records) {
      if (record.missed_page != ~std::uint64_t{0}) {
        EXPECT_EQ(record.missed_page, misses);
        EXPECT_EQ(record.position, 3 * misses);
        ++misses;
      }
      if (record.evicted_page != ~std::uint64_t{0}) evicted_accesses += record.evicted_accesses;
    }
  }
  EXPECT_EQ(misses, 10U);
  EXPECT_EQ(evicted_accesses, 30U) << "every access leaves the TLB once";
}

}  // namespace
}  // namespace numatch::trace
