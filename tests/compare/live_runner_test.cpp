// SPDX-License-Identifier: Apache-2.0
#include "compare/live_runner.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/atomic_file.hpp"
#include "support/expect_text.hpp"

namespace numatch::compare {
namespace {

run_setup free_setup() {
  run_setup setup;
  setup.plan.allowed = live::cpu_mask::of_task(0).value();
  return setup;
}

std::string numbered(const std::string& name) {
  return testing::TempDir() + name + std::to_string(::getpid());
}

TEST(LiveRunner, MeasuresAProgram) {
  live_runner runner({"sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"}, false);
  const result<run_figures> figures = runner.run(free_setup());
  ASSERT_TRUE(figures) << figures.error().message();
  EXPECT_GT(figures->at(figure::time).value_or(0), 0);
  EXPECT_GT(figures->at(figure::cpu_time).value_or(0), 0);
  EXPECT_GT(figures->at(figure::minor_faults).value_or(0), 0);
  EXPECT_EQ(runner.threads(), 1U);
}

TEST(LiveRunner, AFailureSaysTheExitCodeAndTheLastWords) {
  live_runner runner({"sh", "-c", "echo first >&2; echo 'no such grid' >&2; exit 3"}, false);
  const result<run_figures> figures = runner.run(free_setup());
  ASSERT_FALSE(figures);
  EXPECT_TRUE(
      contains(figures.error().message(), "sh: ended with exit code 3, saying 'no such grid'"));
}

TEST(LiveRunner, AManagedRunIsTheProgramUnderNumatchRun) {
  const std::string manager = numbered("compare_manager");
  const std::string told = numbered("compare_told");
  std::ofstream(manager) << "#!/bin/sh\necho \"$@\" > " << told << "\nshift 3\nexec \"$@\"\n";
  std::filesystem::permissions(manager, std::filesystem::perms::owner_all);
  live_runner runner({"sh", "-c", "exit 4"}, false);
  runner.set_manager(manager);
  run_setup managed = free_setup();
  managed.managed = true;
  const result<run_figures> figures = runner.run(managed);
  ASSERT_FALSE(figures);
  EXPECT_TRUE(contains(figures.error().message(), "sh: ended with exit code 4"));
  std::ifstream words(told);
  std::string line;
  std::getline(words, line);
  EXPECT_EQ(line, "--quiet run -- sh -c exit 4");
  std::filesystem::remove(manager);
  std::filesystem::remove(told);
}

TEST(LiveRunner, ASignalIsNamed) {
  live_runner runner({"sh", "-c", "kill -SEGV $$"}, false);
  const result<run_figures> figures = runner.run(free_setup());
  ASSERT_FALSE(figures);
  EXPECT_TRUE(contains(figures.error().message(), "ended by signal 11"));
}

TEST(LiveRunner, OutputMayDifferUnlessItIsChecked) {
  const std::string count = numbered("compare_count");
  const std::vector<std::string> command{"sh", "-c", "echo x >> " + count + "; wc -l < " + count};
  live_runner loose(command, false);
  EXPECT_TRUE(loose.run(free_setup()));
  EXPECT_TRUE(loose.run(free_setup()));
  live_runner strict(command, true);
  EXPECT_TRUE(strict.run(free_setup()));
  const result<run_figures> other = strict.run(free_setup());
  ASSERT_FALSE(other);
  EXPECT_TRUE(contains(other.error().message(), "printed something else"));
  std::filesystem::remove(count);
}

TEST(KeptSetting, IsPutBackAtTheEnd) {
  const std::string file = numbered("compare_setting");
  ASSERT_TRUE(write_file(file, "2\n"));
  {
    std::optional<kept_setting> setting = kept_setting::open(file);
    ASSERT_TRUE(setting);
    EXPECT_EQ(setting->original(), 2);
    EXPECT_TRUE(setting->set(0));
    EXPECT_EQ(read_file(file).value(), "0\n");
  }
  EXPECT_EQ(read_file(file).value(), "2\n");
  std::filesystem::remove(file);
}

TEST(KeptSetting, IsPutBackWhenItsOwnerIsKilled) {
  const std::string file = numbered("compare_killed");
  ASSERT_TRUE(write_file(file, "1\n"));
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    ::close(told[0]);
    std::optional<kept_setting> setting = kept_setting::open(file);
    if (setting && setting->set(0) && ::write(told[1], "x", 1) == 1) {
      for (;;) ::pause();
    }
    ::_exit(1);
  }
  ::close(told[1]);
  char ready = 0;
  ASSERT_EQ(::read(told[0], &ready, 1), 1);
  EXPECT_EQ(read_file(file).value(), "0\n");
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  // The guardian holds the other end of this pipe: its end of file is the guardian's end.
  EXPECT_EQ(::read(told[0], &ready, 1), 0);
  EXPECT_EQ(read_file(file).value(), "1\n");
  ::close(told[0]);
  std::filesystem::remove(file);
}

TEST(KeptSetting, WhatIsNoNumberOrMayNotBeWrittenIsNotKept) {
  const std::string file = numbered("compare_words");
  ASSERT_TRUE(write_file(file, "words\n"));
  EXPECT_FALSE(kept_setting::open(file));
  EXPECT_FALSE(kept_setting::open("/nowhere/setting"));
  EXPECT_EQ(read_file(file).value(), "words\n");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace numatch::compare
