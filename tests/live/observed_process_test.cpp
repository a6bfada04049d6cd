// SPDX-License-Identifier: Apache-2.0
#include "live/observed_process.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <climits>
#include <thread>
#include <vector>

#include "live/child_process.hpp"
#include "live/proc_text.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

int sleep_for_ever() {
  for (;;) ::pause();
}

TEST(ObservedProcess, FindsTheThreadsInTheOrderOfTheirCreation) {
  struct facts {
    std::atomic<int> started{0};
    pid_t tasks[3] = {};
  };
  const shared_with_child<facts> seen;
  const child_process child([&seen] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&seen, i] {
        seen->tasks[i] = ::gettid();
        ++seen->started;
        sleep_for_ever();
      });
      wait_until([&seen, i] { return seen->started > i; });
    }
    return sleep_for_ever();
  });
  wait_until([&seen] { return seen->started == 3; });
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  const std::vector<pid_t> expected{child.pid(), seen->tasks[0], seen->tasks[1], seen->tasks[2]};
  EXPECT_EQ(process->tasks().value(), expected);
  EXPECT_TRUE(process->alive());
  EXPECT_FALSE(process->name().empty());
}

TEST(ObservedProcess, SeesWhatIsMapped) {
  void* const memory = ::mmap(nullptr, 3 * 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const child_process child(sleep_for_ever);
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  const std::vector<mapped_range> ranges = process->mappings().value();
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(memory);
  const std::vector<mapped_range>::const_iterator found =
      std::find_if(ranges.begin(), ranges.end(),
                   [address](const mapped_range& range) { return range.first == address; });
  ASSERT_NE(found, ranges.end());
  EXPECT_EQ(found->end, address + 3 * 4096);
  EXPECT_TRUE(found->readable && found->shared);
  EXPECT_FALSE(found->writable || found->executable);
  ::munmap(memory, 3 * 4096);
}

TEST(ObservedProcess, AnEndedProcessSaysSo) {
  child_process child(sleep_for_ever);
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  child.kill(SIGKILL);
  EXPECT_EQ(child.wait(), 128 + SIGKILL);
  EXPECT_FALSE(process->alive());
  EXPECT_EQ(process->name(), "");
  ASSERT_FALSE(process->tasks());
  EXPECT_TRUE(contains(process->tasks().error().message(), "has ended"));
  ASSERT_FALSE(process->mappings());
  EXPECT_TRUE(contains(process->mappings().error().message(), "has ended"));
}

TEST(ObservedProcess, AZombieHasEnded) {
  const child_process child([] { return 0; });
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &end, WEXITED | WNOWAIT), 0);
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_FALSE(process);
  EXPECT_TRUE(contains(process.error().message(), "has ended"));
}

TEST(ObservedProcess, WhatIsNotThereIsAnError) {
  child_process child([] { return 0; });
  const pid_t pid = child.pid();
  child.wait();
  const result<observed_process> process = observed_process::open(pid);
  ASSERT_FALSE(process);
  EXPECT_TRUE(contains(process.error().message(), "there is no such process"));
  EXPECT_FALSE(observed_process::open(0));
  EXPECT_FALSE(observed_process::open(-1));
  EXPECT_FALSE(observed_process::open(INT_MAX));
}

TEST(ObservedProcess, AThreadIsNotAProcess) {
  struct facts {
    std::atomic<pid_t> task{0};
  };
  const shared_with_child<facts> seen;
  const child_process child([&seen] {
    std::thread other([&seen] {
      seen->task = ::gettid();
      sleep_for_ever();
    });
    return sleep_for_ever();
  });
  wait_until([&seen] { return seen->task != 0; });
  const result<observed_process> process = observed_process::open(seen->task);
  ASSERT_FALSE(process);
  EXPECT_TRUE(contains(process.error().message(), "is a thread"));
}

TEST(ObservedProcess, AProcessOfAnotherUserIsAnErrorThatNamesTheUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  // The child asks about this test's process, which is root's.
  const pid_t of_root = ::getpid();
  child_process child([of_root] {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 2;
    const result<observed_process> process = observed_process::open(of_root);
    return !process && contains(process.error().message(), "belongs to user root") ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(ProcText, UnderstandsMappingLines) {
  const std::vector<mapped_range> ranges = parse_mappings(
      "7f00000000-7f00002000 rw-p 00001000 fe:0a 1234   /tmp/a b\\012c (deleted)\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]\n"
      "10000-20000 r--s 00000000 00:00 0\n");
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0].first, 0x7f00000000U);
  EXPECT_EQ(ranges[0].end, 0x7f00002000U);
  EXPECT_EQ(ranges[0].offset, 0x1000U);
  EXPECT_EQ(ranges[0].inode, 1234U);
  EXPECT_EQ(ranges[0].name, "/tmp/a b\nc (deleted)");
  EXPECT_EQ(ranges[1].name, "[vsyscall]");
  EXPECT_TRUE(ranges[1].executable);
  EXPECT_TRUE(ranges[2].shared);
  EXPECT_EQ(ranges[2].name, "");
}

TEST(ProcText, LeavesOutLinesThatAreNoMappings) {
  EXPECT_TRUE(parse_mappings("").empty());
  EXPECT_TRUE(parse_mappings("\n\nnonsense\n1-2\n20-10 r--p 0 0:0 0\nx-y r--p 0 0:0 0\n").empty());
}

TEST(ProcText, ATaskNameMayLookLikeFields) {
  const std::optional<task_stat> stat =
      parse_task_stat("12 (a) R 1 (x) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->start_time, 4711U);
  EXPECT_FALSE(parse_task_stat(""));
  EXPECT_FALSE(parse_task_stat("1 (a) S 1 2"));
  EXPECT_FALSE(parse_task_stat("1 (a)"));
}

TEST(ProcText, FindsAFieldByItsWholeName) {
  const std::string_view status = "Name:\tsleep\nSigPnd:\t0000000000000000\nUid:\t0\t0\n";
  EXPECT_EQ(status_field(status, "Name"), "sleep");
  EXPECT_EQ(status_field(status, "Uid"), "0\t0");
  EXPECT_FALSE(status_field(status, "Sig"));
  EXPECT_FALSE(status_field("", "Uid"));
}

}  // namespace
}  // namespace numatch::live
