// SPDX-License-Identifier: Apache-2.0
#include "live/profile_live.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include "live/launched_program.hpp"
#include "support/expect_text.hpp"
#include "support/observed_child.hpp"

namespace numatch::live {
namespace {

constexpr std::size_t ring_threads = 4;
constexpr std::size_t block = 32;  // pages

/// Threads in a ring, each with a block of its own and one with either neighbour, all of which it
/// writes all the time. It says the memory's address, and then its threads' numbers.
void run_ring(const observed_child::script& s) {
  char* memory = fresh_pages(2 * ring_threads * block);
  std::array<std::atomic<pid_t>, ring_threads> tasks{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < ring_threads; ++t) {
    threads.emplace_back([&, t] {
      tasks[t] = static_cast<pid_t>(::syscall(SYS_gettid));
      const std::size_t blocks[] = {t, ring_threads + t,
                                    ring_threads + (t + ring_threads - 1) % ring_threads};
      for (std::size_t i = 0;; ++i) {
        const std::size_t page = blocks[i % 3] * block + i / 3 % block;
        static_cast<volatile char*>(memory)[page * 4096] = 1;
      }
    });
  }
  for (const std::atomic<pid_t>& task : tasks) {
    while (task == 0) std::this_thread::yield();
  }
  s.say(memory);
  for (const std::atomic<pid_t>& task : tasks) s.say(static_cast<std::uint64_t>(task.load()));
  s.wait();
}

/// The threads of the ring that use a page of it.
std::vector<std::size_t> users_of(std::size_t page) {
  const std::size_t number = page / block;
  if (number < ring_threads) return {number};
  return {number - ring_threads, (number - ring_threads + 1) % ring_threads};
}

class EverySensor : public testing::TestWithParam<const sensor_entry*> {};

TEST_P(EverySensor, SeesNoThreadWhereItWasNot) {
  const sensor_entry& entry = *GetParam();
  const availability here = entry.probe(read_system_facts());
  if (!here.works) GTEST_SKIP() << here.reason;
  const observed_child child(run_ring);
  const std::uint64_t memory = child.hear();
  std::vector<std::uint32_t> tasks;
  for (std::size_t t = 0; t < ring_threads; ++t) {
    tasks.push_back(static_cast<std::uint32_t>(child.hear()));
  }
  observed_process process = observed_process::open(child.pid()).value();
  live_profile_options options;
  options.sensor = entry.name;
  options.seconds = 1;
  const bool arms_by_itself = entry.how == arming::by_page || entry.how == arming::whole;
  std::size_t right = 0;
  do {  // a busy machine may need several looks
    const std::atomic<bool> stop = false;
    const result<live_profile> seen = profile_process(process, "ring", options, stop, [] {});
    ASSERT_TRUE(seen) << seen.error().message();
    ASSERT_TRUE(process.alive());
    EXPECT_TRUE(check_profile(seen->learned));
    EXPECT_EQ(seen->learned.how, evidence::sampled);
    EXPECT_EQ(seen->learned.threads.size(), ring_threads + 1);
    for (const page_use& use : seen->learned.pages) {
      const std::uint64_t page = use.first_page.value - memory / 4096;
      if (page >= 2 * ring_threads * block) continue;
      const std::uint32_t task = seen->learned.threads[use.thread.index()].os_tid;
      const std::vector<std::size_t> users = users_of(static_cast<std::size_t>(page));
      EXPECT_TRUE(
          std::any_of(users.begin(), users.end(), [&](std::size_t t) { return tasks[t] == task; }))
          << "page " << page << ", task " << task;
      ++right;
    }
  } while (arms_by_itself && right == 0);
}

INSTANTIATE_TEST_SUITE_P(Sensors, EverySensor, testing::ValuesIn(all_sensors()),
                         [](const testing::TestParamInfo<const sensor_entry*>& tested) {
                           std::string name(tested.param->name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(ProfileLive, AStopEndsTheWatchAndNotTheProgram) {
  const observed_child child([](const observed_child::script& s) { s.wait(); });
  observed_process process = observed_process::open(child.pid()).value();
  live_profile_options options;
  options.sensor = "faults";
  if (!choose_sensor("faults", read_system_facts())) GTEST_SKIP() << "page faults are not shown";
  const std::atomic<bool> stop = true;
  const result<live_profile> seen = profile_process(process, "waiting", options, stop, [] {});
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_TRUE(process.alive());
}

TEST(LaunchedProgram, WaitsUntilItIsLetGo) {
  const std::string trace = testing::TempDir() + "numatch_launched";
  std::filesystem::remove(trace);
  result<launched_program> program =
      launched_program::start({"sh", "-c", "echo ran > " + trace + "; exit 5"});
  ASSERT_TRUE(program) << program.error().message();
  std::ifstream status("/proc/" + std::to_string(program->pid()) + "/status");
  const std::string text{std::istreambuf_iterator<char>(status), {}};
  EXPECT_TRUE(contains(text, "State:\tT (stopped)"));
  EXPECT_TRUE(contains(text, "TracerPid:\t0"));
  EXPECT_FALSE(std::filesystem::exists(trace));
  program->let_go();
  EXPECT_EQ(program->wait(), 5);
  EXPECT_TRUE(std::filesystem::exists(trace));
}

TEST(LaunchedProgram, OneThatWasNotLetGoIsEnded) {
  pid_t pid = 0;
  {
    result<launched_program> program = launched_program::start({"sleep", "1000"});
    ASSERT_TRUE(program);
    pid = program->pid();
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(LaunchedProgram, TheSignalThatEndsItIsInTheExitCode) {
  result<launched_program> program = launched_program::start({"sh", "-c", "kill -USR1 $$"});
  ASSERT_TRUE(program);
  program->let_go();
  EXPECT_EQ(program->wait(), 128 + SIGUSR1);
}

TEST(LaunchedProgram, WhatCannotBeStartedIsAnError) {
  const result<launched_program> program = launched_program::start({"/nowhere/program"});
  ASSERT_FALSE(program);
  EXPECT_TRUE(contains(program.error().message(), "No such file"));
}

TEST(ChooseSensor, AutoTakesTheBestThatWorks) {
  system_facts here;
  here.perf_page_faults = true;
  EXPECT_EQ(choose_sensor("auto", here).value()->name, "faults");
  here.soft_dirty = true;
  EXPECT_EQ(choose_sensor("auto", here).value()->name, "soft-dirty");
}

TEST(ChooseSensor, OneThatDoesNotWorkHereSaysWhyAndWhatWouldHelp) {
  system_facts here;
  here.perf_event_paranoid = 3;
  here.soft_dirty = true;
  for (const char* name : {"auto", "soft-dirty", "faults"}) {
    const result<const sensor_entry*> chosen = choose_sensor(name, here);
    ASSERT_FALSE(chosen) << name;
    EXPECT_TRUE(contains(chosen.error().message(), "sysctl kernel.perf_event_paranoid=2"));
  }
}

TEST(ChooseSensor, AnUnknownNameIsAnsweredWithTheNearest) {
  const result<const sensor_entry*> chosen = choose_sensor("soft-durty", {});
  ASSERT_FALSE(chosen);
  EXPECT_TRUE(contains(chosen.error().message(), "did you mean 'soft-dirty'?"));
}

}  // namespace
}  // namespace numatch::live
