// SPDX-License-Identifier: Apache-2.0
#include "live/fault_stream.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>

#include <algorithm>
#include <thread>

#include "live/page_fault_event.hpp"
#include "support/expect_text.hpp"
#include "support/observed_child.hpp"

namespace numatch::live {
namespace {

pid_t own_task() {
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

/// Everything in the order in which it came.
struct diary : use_sink {
  enum class what : std::uint8_t { start, use, end };
  struct entry {
    what kind;
    pid_t task;
    std::uint64_t time;
    std::uint64_t address;
  };
  std::vector<entry> entries;
  std::uint64_t lost = 0;

  void on_use(const sensed_use& use) override {
    entries.push_back({what::use, use.task, use.time, use.address});
  }
  void on_task_start(pid_t task, std::uint64_t time) override {
    entries.push_back({what::start, task, time, 0});
  }
  void on_task_end(pid_t task, std::uint64_t time) override {
    entries.push_back({what::end, task, time, 0});
  }
  void on_lost(std::uint64_t uses) override { lost += uses; }

  std::vector<entry> of(what kind) const {
    std::vector<entry> found;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(found),
                 [&](const entry& e) { return e.kind == kind; });
    return found;
  }
  bool has_use(pid_t task, std::uint64_t address) const {
    return std::any_of(entries.begin(), entries.end(), [&](const entry& e) {
      return e.kind == what::use && e.task == task && e.address == address;
    });
  }
};

/// The events of a thread work in every way of looking, where this system allows that way.
class FaultStream : public testing::TestWithParam<fault_stream::reach> {
 protected:
  void open(observed_child& child) {
    process_.emplace(observed_process::open(child.pid()).value());
    result<fault_stream> stream = fault_stream::open(*process_, GetParam());
    if (!stream) GTEST_SKIP() << stream.error().message();
    stream_.emplace(std::move(*stream));
  }
  void collect() {
    const result<void> done = stream_->collect(seen_);
    ASSERT_TRUE(done) << done.error().message();
  }
  std::optional<observed_process> process_;
  std::optional<fault_stream> stream_;
  diary seen_;
};

TEST_P(FaultStream, SeesThreadAndByteAddressOfEveryFault) {
  constexpr std::size_t pages = 100;
  observed_child child([](const observed_child::script& s) {
    char* memory = fresh_pages(2 * pages);
    const auto touch = [&](std::size_t first) {
      for (std::size_t i = first; i < first + pages; ++i) memory[i * 4096 + i] = 1;
    };
    pid_t other = 0;
    std::thread thread([&] {
      other = own_task();
      s.say(memory);
      s.wait();
      touch(pages);
    });
    s.say(static_cast<std::uint64_t>(own_task()));
    thread.join();
    touch(0);
    s.say(static_cast<std::uint64_t>(other));
    s.wait();
  });
  std::uint64_t first = child.hear();
  std::uint64_t memory = child.hear();
  if (first > memory) std::swap(first, memory);
  open(child);
  if (IsSkipped()) return;
  child.go_on();
  const pid_t other = static_cast<pid_t>(child.hear());
  collect();
  for (std::uint64_t i = 0; i < pages; ++i) {
    EXPECT_TRUE(seen_.has_use(static_cast<pid_t>(first), memory + i * 4097)) << i;
    EXPECT_TRUE(seen_.has_use(other, memory + (pages + i) * 4097)) << i;
  }
  EXPECT_EQ(seen_.lost, 0U);
}

/// An event that never fires leads the group of the one that does; the one before them is on no
/// processor of this machine.
class grouped_faults final : public sampled_events {
 public:
  std::vector<sampled_event> events(bool kernel_too, bool inherited) const override {
    perf_event_attr leader = ring_holder_attributes();
    leader.disabled = 0;
    leader.inherit = inherited ? 1 : 0;
    perf_event_attr nowhere = leader;
    nowhere.type = 0x7fff'0000;
    perf_event_attr faults = page_fault_attributes(kernel_too, inherited);
    return {{nowhere, true}, {nowhere, false}, {leader, true}, {faults, false}};
  }
  std::optional<sensed_use> use_of(std::span<const std::byte> body, pid_t process) const override {
    return faults_->use_of(body, process);
  }
  error refusal(int code, pid_t process) const override { return faults_->refusal(code, process); }

 private:
  std::unique_ptr<sampled_events> faults_ = page_fault_events();
};

TEST_P(FaultStream, EventsMayStandInGroupsAndNotBeEverywhere) {
  observed_child child([](const observed_child::script& s) {
    char* memory = fresh_pages(1);
    s.say(memory);
    s.wait();
    memory[5] = 1;
    s.say(1);
    s.wait();
  });
  const std::uint64_t memory = child.hear();
  observed_process process = observed_process::open(child.pid()).value();
  result<fault_stream> stream =
      fault_stream::open(process, GetParam(), std::make_unique<grouped_faults>());
  if (!stream) GTEST_SKIP() << stream.error().message();
  child.go_on();
  child.hear();
  ASSERT_TRUE(stream->collect(seen_));
  EXPECT_TRUE(seen_.has_use(child.pid(), memory + 5));
}

TEST_P(FaultStream, HandsOnEverythingInTheOrderOfTime) {
  observed_child child([](const observed_child::script& s) {
    char* memory = fresh_pages(512);
    s.say(1);
    s.wait();
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([=] {
        for (std::size_t i = t; i < 512; i += 4) memory[i * 4096] = 1;
      });
    }
    for (std::thread& t : threads) t.join();
    s.say(1);
    s.wait();
  });
  child.hear();
  open(child);
  if (IsSkipped()) return;
  child.go_on();
  child.hear();
  collect();
  ASSERT_GE(seen_.entries.size(), 2U);
  const std::vector<diary::entry> uses = seen_.of(diary::what::use);
  EXPECT_TRUE(
      std::is_sorted(uses.begin(), uses.end(),
                     [](const diary::entry& a, const diary::entry& b) { return a.time < b.time; }));
}

TEST_P(FaultStream, TellsTheBirthsInTheirOrderAndBeforeTheFirstUse) {
  constexpr std::size_t births = 20;
  observed_child child([](const observed_child::script& s) {
    s.say(1);
    s.wait();
    for (std::size_t t = 0; t < births; ++t) {
      pid_t task = 0;
      std::thread([&] { task = own_task(); }).join();
      s.say(static_cast<std::uint64_t>(task));
    }
    s.wait();
  });
  child.hear();
  open(child);
  if (IsSkipped()) return;
  child.go_on();
  std::vector<pid_t> born{child.pid()};
  for (std::size_t t = 0; t < births; ++t) born.push_back(static_cast<pid_t>(child.hear()));
  collect();
  std::vector<pid_t> told;
  for (const diary::entry& e : seen_.of(diary::what::start)) told.push_back(e.task);
  EXPECT_EQ(told, born);
  for (const pid_t task : born) {
    const auto of_task = [&](const diary::entry& e) { return e.task == task; };
    const auto first = std::find_if(seen_.entries.begin(), seen_.entries.end(), of_task);
    ASSERT_NE(first, seen_.entries.end());
    EXPECT_EQ(first->kind, diary::what::start);
  }
}

TEST_P(FaultStream, SeesNothingWhileItRestsAndEverythingAfterIt) {
  constexpr std::size_t pages = 50;
  observed_child child([](const observed_child::script& s) {
    char* memory = fresh_pages(3 * pages);
    const auto touch = [&](std::size_t first) {
      for (std::size_t i = first; i < first + pages; ++i) memory[i * 4096] = 1;
    };
    s.say(memory);
    for (std::size_t part = 0; part < 3; ++part) {
      s.wait();
      touch(part * pages);
      s.say(part);
    }
    s.wait();
  });
  const std::uint64_t memory = child.hear();
  open(child);
  if (IsSkipped()) return;
  for (const bool rests : {false, true, false}) {
    const result<void> done = stream_->rest(rests);
    ASSERT_TRUE(done) << done.error().message();
    child.go_on();
    child.hear();
  }
  collect();
  const auto seen_of = [&](std::size_t part) {
    std::size_t seen = 0;
    for (std::size_t i = part * pages; i < (part + 1) * pages; ++i) {
      seen += seen_.has_use(child.pid(), memory + i * 4096) ? 1 : 0;
    }
    return seen;
  };
  EXPECT_EQ(seen_of(0), pages);
  EXPECT_EQ(seen_of(1), 0U);
  EXPECT_EQ(seen_of(2), pages);
}

TEST_P(FaultStream, ThreadsThatAreBornOrEndWhileItRestsAreToldAndSeenAfterIt) {
  observed_child child([](const observed_child::script& s) {
    char* memory = fresh_pages(2);
    s.say(memory);
    std::thread old([&] {
      s.say(static_cast<std::uint64_t>(own_task()));
      s.wait();
    });
    old.join();
    std::thread young([&] {
      s.say(static_cast<std::uint64_t>(own_task()));
      s.wait();
      memory[0] = 1;
      s.say(1);
      s.wait();
      memory[4096] = 1;
      s.say(2);
      s.wait();
    });
    young.join();
  });
  const std::uint64_t memory = child.hear();
  const pid_t old = static_cast<pid_t>(child.hear());
  open(child);
  if (IsSkipped()) return;
  collect();
  ASSERT_TRUE(stream_->rest(true));
  child.go_on();
  const pid_t young = static_cast<pid_t>(child.hear());
  while (process_->tasks()->size() > 2) std::this_thread::yield();
  child.go_on();
  child.hear();
  ASSERT_TRUE(stream_->rest(false));
  collect();
  child.go_on();
  child.hear();
  collect();
  const std::vector<diary::entry> starts = seen_.of(diary::what::start);
  EXPECT_TRUE(std::any_of(starts.begin(), starts.end(),
                          [&](const diary::entry& e) { return e.task == young; }));
  const std::vector<diary::entry> ends = seen_.of(diary::what::end);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].task, old);
  EXPECT_FALSE(seen_.has_use(young, memory));
  EXPECT_TRUE(seen_.has_use(young, memory + 4096));
}

TEST_P(FaultStream, TellsTheEndOfThreads) {
  observed_child child([](const observed_child::script& s) {
    std::thread thread([&] {
      s.say(static_cast<std::uint64_t>(own_task()));
      s.wait();
    });
    thread.join();
    s.say(1);
    s.wait();
  });
  const pid_t task = static_cast<pid_t>(child.hear());
  open(child);
  if (IsSkipped()) return;
  child.go_on();
  child.hear();
  // Joining returns a moment before the kernel's own end of the thread.
  while (process_->tasks()->size() > 1) std::this_thread::yield();
  collect();
  const std::vector<diary::entry> ends = seen_.of(diary::what::end);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].task, task);
}

TEST_P(FaultStream, SeesNoFaultTwiceThoughThreadsAreBornWhileItOpens) {
  constexpr std::size_t births = 400;
  observed_child child([](const observed_child::script& s) {
    char* memory = fresh_pages(births);
    s.say(memory);
    for (std::size_t t = 0; t < births; ++t) std::thread([=] { memory[t * 4096] = 1; }).join();
    s.say(1);
    s.wait();
  });
  const std::uint64_t memory = child.hear();
  open(child);
  if (IsSkipped()) return;
  child.hear();
  collect();
  std::multiset<std::uint64_t> used;
  for (const diary::entry& e : seen_.of(diary::what::use)) used.insert(e.address);
  for (std::uint64_t t = 0; t < births; ++t) EXPECT_LE(used.count(memory + t * 4096), 1U) << t;
}

TEST_P(FaultStream, CountsWhatTheKernelHadNoRoomFor) {
  constexpr std::uint64_t faults = 60'000;
  observed_child child([](const observed_child::script& s) {
    // The kernel tells of a loss with the next record that fits into the ring of the same
    // processor; a thread that has left that processor would leave the loss untold.
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    char* memory = fresh_pages(100);
    s.say(1);
    s.wait();
    for (std::uint64_t done = 0; done < faults; done += 100) {
      ::madvise(memory, 100 * 4096, MADV_DONTNEED);
      for (std::size_t i = 0; i < 100; ++i) memory[i * 4096] = 1;
    }
    s.say(memory);
    s.wait();
  });
  child.hear();
  open(child);
  if (IsSkipped()) return;
  child.go_on();
  child.hear();
  collect();
  child.go_on();
  child.ended();
  collect();
  const std::uint64_t seen = seen_.of(diary::what::use).size();
  EXPECT_GT(seen_.lost, 0U);
  EXPECT_GE(seen + seen_.lost, faults);
}

TEST_P(FaultStream, WakesItsReaderWhenThereIsMuchToRead) {
  observed_child child([](const observed_child::script& s) {
    char* memory = fresh_pages(20'000);
    s.say(1);
    s.wait();
    for (std::size_t i = 0; i < 20'000; ++i) memory[i * 4096] = 1;
    s.wait();
  });
  child.hear();
  open(child);
  if (IsSkipped()) return;
  pollfd wake{stream_->wake_fd(), POLLIN, 0};
  collect();
  EXPECT_EQ(::poll(&wake, 1, 0), 0);
  child.go_on();
  EXPECT_EQ(::poll(&wake, 1, 60'000), 1);
}

TEST_P(FaultStream, GoesOnWhenTheProgramHasEnded) {
  observed_child child([](const observed_child::script& s) {
    s.say(1);
    s.wait();
  });
  child.hear();
  open(child);
  if (IsSkipped()) return;
  child.go_on();
  EXPECT_EQ(child.ended(), 0);
  collect();
  collect();
  EXPECT_EQ(seen_.of(diary::what::end).size(), 1U);
}

std::string name_of(const testing::TestParamInfo<fault_stream::reach>& tested) {
  switch (tested.param) {
    case fault_stream::reach::threads_by_cpu:
      return "ThreadsByCpu";
    case fault_stream::reach::machine:
      return "Machine";
    case fault_stream::reach::threads:
      return "Threads";
    case fault_stream::reach::best:
      break;
  }
  return "Best";
}

constexpr fault_stream::reach reaches[] = {fault_stream::reach::threads_by_cpu,
                                           fault_stream::reach::machine,
                                           fault_stream::reach::threads, fault_stream::reach::best};
INSTANTIATE_TEST_SUITE_P(Reach, FaultStream, testing::ValuesIn(reaches), name_of);

TEST(FaultStreamOpening, AProgramThatHasJustEndedIsNoError) {
  observed_child child([](const observed_child::script& s) { s.wait(); });
  observed_process process = observed_process::open(child.pid()).value();
  child.go_on();
  child.ended();
  result<fault_stream> stream = fault_stream::open(process);
  ASSERT_TRUE(stream) << stream.error().message();
  diary seen;
  EXPECT_TRUE(stream->collect(seen));
  EXPECT_TRUE(seen.entries.empty());
}

TEST(FaultStreamOpening, MissingPermissionNamesTheSysctl) {
  const error strict = cannot_see_faults(EACCES, 42, 3);
  EXPECT_TRUE(contains(strict.message(), "process 42"));
  EXPECT_TRUE(contains(strict.message(), "sysctl kernel.perf_event_paranoid=2"));
  EXPECT_FALSE(contains(cannot_see_faults(EACCES, 42, 2).message(), "sysctl"));
  EXPECT_TRUE(contains(cannot_see_faults(EMFILE, 42, 2).message(), "ulimit"));
}

}  // namespace
}  // namespace numatch::live
