// SPDX-License-Identifier: Apache-2.0
#include "live/thread_mover.hpp"

#include <gtest/gtest.h>

#include "live/child_process.hpp"
#include "live/child_tasks.hpp"
#include "live/guardian.hpp"

namespace numatch::live {
namespace {

int sleep_for_ever() {
  for (;;) ::pause();
}

std::vector<unsigned> cpus_of(pid_t task) {
  const result<cpu_mask> mask = cpu_mask::of_task(task);
  return mask ? mask->cpus() : std::vector<unsigned>{};
}

class ThreadMover : public ::testing::Test {
 protected:
  ThreadMover() : program_(sleep_for_ever), before_(cpus_of(program_.pid())) {}
  void SetUp() override {
    ASSERT_TRUE(journal_) << journal_.error().message();
    if (before_.size() < 2) GTEST_SKIP() << "there is one processor";
  }
  std::vector<unsigned> first() const { return {before_.front()}; }

  const child_process program_;
  const std::vector<unsigned> before_;
  result<undo_journal> journal_ = undo_journal::make();
};

TEST_F(ThreadMover, BindsAThreadAndPutsItBack) {
  const pid_t pid = program_.pid();
  thread_mover mover(*journal_, pid);
  EXPECT_EQ(mover.bind(pid, first()), binding::done);
  EXPECT_EQ(cpus_of(pid), first());
  EXPECT_EQ(mover.own_cpus(pid), before_);
  EXPECT_EQ(journal_->open_affinities().size(), 1U);
  EXPECT_EQ(mover.bind(pid, std::vector<unsigned>{before_.back()}), binding::done);
  EXPECT_EQ(cpus_of(pid), std::vector<unsigned>{before_.back()});
  mover.restore(pid);
  EXPECT_EQ(cpus_of(pid), before_);
  EXPECT_TRUE(journal_->open_affinities().empty());
}

TEST_F(ThreadMover, KeepsToTheProcessorsThatTheThreadMayUse) {
  const pid_t pid = program_.pid();
  ASSERT_TRUE(cpu_mask::of_cpus(first()).apply_to(pid));
  thread_mover mover(*journal_, pid);
  EXPECT_EQ(mover.bind(pid, std::vector<unsigned>{before_.back()}), binding::forbidden);
  EXPECT_EQ(mover.bind(pid, before_), binding::done);
  EXPECT_EQ(cpus_of(pid), first());
  EXPECT_EQ(mover.bound(), 0U);
}

TEST_F(ThreadMover, LeavesAloneWhatTheProgramBindsItself) {
  const pid_t pid = program_.pid();
  const std::vector<unsigned> last{before_.back()};
  {
    thread_mover mover(*journal_, pid);
    EXPECT_EQ(mover.bind(pid, first()), binding::done);
    ASSERT_TRUE(cpu_mask::of_cpus(last).apply_to(pid));
    EXPECT_EQ(mover.bind(pid, first()), binding::taken);
    EXPECT_EQ(mover.bind(pid, first()), binding::taken);
  }
  EXPECT_EQ(cpus_of(pid), last);
}

TEST_F(ThreadMover, DoesNotPutBackWhatTheProgramBoundMeanwhile) {
  const pid_t pid = program_.pid();
  const std::vector<unsigned> last{before_.back()};
  {
    thread_mover mover(*journal_, pid);
    EXPECT_EQ(mover.bind(pid, first()), binding::done);
    ASSERT_TRUE(cpu_mask::of_cpus(last).apply_to(pid));
  }
  EXPECT_EQ(cpus_of(pid), last);
  EXPECT_TRUE(journal_->open_affinities().empty());
}

TEST_F(ThreadMover, ATaskThatHasEndedIsGone) {
  thread_mover mover(*journal_, program_.pid());
  EXPECT_EQ(mover.bind(0x3fffffff, first()), binding::gone);
}

/// A program with a child process that it makes when it is told to.
struct family {
  shared_with_child<std::atomic<int>> wanted;
  shared_with_child<std::atomic<int>> born;
  child_process parent{[this] {
    wait_until([this] { return *wanted == 1; });
    const pid_t me = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
      end_with(me);
      return sleep_for_ever();
    }
    *born = child;
    return sleep_for_ever();
  }};
  pid_t make_child() {
    *wanted = 1;
    wait_until([this] { return *born != 0; });
    return *born;
  }
};

TEST_F(ThreadMover, HeirsOfABoundThreadAreFreedAtTheEnd) {
  family tree;
  pid_t child = 0;
  {
    thread_mover mover(*journal_, tree.parent.pid());
    EXPECT_EQ(mover.bind(tree.parent.pid(), first()), binding::done);
    child = tree.make_child();
    EXPECT_EQ(cpus_of(child), first());
    EXPECT_EQ(tasks_below(tree.parent.pid()).size(), 2U);
  }
  EXPECT_EQ(cpus_of(child), before_);
  EXPECT_EQ(cpus_of(tree.parent.pid()), before_);
  EXPECT_TRUE(journal_->open_given().empty());
}

TEST_F(ThreadMover, TheGuardianFreesAllWhenTheMoverIsKilled) {
  family tree;
  const pid_t parent = tree.parent.pid();
  const shared_with_child<std::atomic<int>> moved;
  child_process monitor([&moved, parent, this] {
    result<guardian> guard = guardian::start();
    if (!guard) return 1;
    thread_mover mover(guard->journal(), parent);
    *moved = mover.bind(parent, first()) == binding::done ? 1 : 2;
    return sleep_for_ever();
  });
  wait_until([&moved] { return *moved != 0; });
  ASSERT_EQ(*moved, 1);
  const pid_t child = tree.make_child();
  EXPECT_EQ(cpus_of(child), first());
  monitor.kill(SIGKILL);
  monitor.wait();
  wait_until(
      [this, parent, child] { return cpus_of(parent) == before_ && cpus_of(child) == before_; });
}

}  // namespace
}  // namespace numatch::live
