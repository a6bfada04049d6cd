// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <filesystem>
#include <random>

#include "live/child_process.hpp"
#include "live/launched_program.hpp"
#include "live/proc_text.hpp"

namespace numatch::live {
namespace {

/// Waits for all that the test's processes left behind; what stays stopped is waited for for ever.
void wait_for_orphans() {
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
}

/// What the processes of a test leave behind becomes the test's own.
class LaunchGuard : public testing::Test {
 protected:
  LaunchGuard() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~LaunchGuard() override { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
};

std::string fresh_name(const std::string& name) {
  std::string path = testing::TempDir() + name;
  std::filesystem::remove(path);
  return path;
}

TEST_F(LaunchGuard, AProgramThatWaitsForItsStartEndsWithItsStarter) {
  const std::string trace = fresh_name("numatch_guard_waiting");
  const shared_with_child<std::atomic<pid_t>> waiting;
  child_process starter([&] {
    const result<launched_program> program =
        launched_program::start({"sh", "-c", "echo ran > " + trace});
    if (!program) return 1;
    *waiting = program->pid();
    for (;;) ::pause();
    return 0;
  });
  wait_until([&] { return *waiting != 0; });
  EXPECT_EQ(read_task_stat(*waiting, *waiting).value().state, 'T');
  starter.kill(SIGKILL);
  EXPECT_EQ(starter.wait(), 128 + SIGKILL);
  wait_for_orphans();
  EXPECT_FALSE(read_task_stat(*waiting, *waiting));
  EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST_F(LaunchGuard, AProgramThatWasLetGoRunsToItsEndWithoutItsStarter) {
  const std::string trace = fresh_name("numatch_guard_let_go");
  const shared_with_child<std::atomic<pid_t>> running;
  child_process starter([&] {
    result<launched_program> program = launched_program::start({"sh", "-c", "echo ran > " + trace});
    if (!program) return 1;
    program->let_go();
    *running = program->pid();
    for (;;) ::pause();
    return 0;
  });
  wait_until([&] { return *running != 0; });
  starter.kill(SIGKILL);
  EXPECT_EQ(starter.wait(), 128 + SIGKILL);
  wait_for_orphans();
  EXPECT_TRUE(std::filesystem::exists(trace));
}

TEST_F(LaunchGuard, AStarterKilledAtAnyMomentLeavesNothingStopped) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const shared_with_child<std::atomic<int>> begun;
    child_process starter([&] {
      *begun = 1;
      result<launched_program> program = launched_program::start({"true"});
      if (!program) return 1;
      program->let_go();
      *begun = 2;
      for (;;) ::pause();
      return 0;
    });
    wait_until([&] { return *begun >= 1; });
    for (std::uint64_t turns = random() % 400000; turns > 0 && *begun == 1; --turns) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    starter.kill(SIGKILL);
    EXPECT_EQ(starter.wait(), 128 + SIGKILL);
    wait_for_orphans();
  }
}

TEST_F(LaunchGuard, AProgramGoesOnWhoseGuardSomebodyEnded) {
  const std::string name = "numatch-launch";
  result<launched_program> program = launched_program::start({"sh", "-c", "exit 4"});
  ASSERT_TRUE(program) << program.error().message();
  std::size_t guards = 0;
  wait_until([&] {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string number = entry.path().filename();
      if (number.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::optional<std::string> status = read_proc("/proc/" + number + "/status");
      if (!status || status_field(*status, "Name") != name ||
          status_field(*status, "PPid") != std::to_string(::getpid())) {
        continue;
      }
      ::kill(static_cast<pid_t>(std::stoi(number)), SIGKILL);
      ++guards;
    }
    return guards != 0;
  });
  program->let_go();
  EXPECT_EQ(program->wait(), 4);
}

}  // namespace
}  // namespace numatch::live
