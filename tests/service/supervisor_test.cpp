// SPDX-License-Identifier: Apache-2.0
#include "service/supervisor.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace numatch::service {
namespace {

namespace fs = std::filesystem;

/// A command that stands for numatch, a program that it is to manage, and what is told.
class supervised : public testing::Test {
 protected:
  supervised() {
    std::string name = (fs::temp_directory_path() / "service-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::copy_file("/bin/sleep", folder_ / "managed");
    program_rule rule;
    rule.name = "it";
    rule.executable = (folder_ / "managed").string();
    rule.least_threads = 1;
    rule.least_cpu_seconds = 0;
    wanted_.programs.push_back(rule);
    options_.numatch = (folder_ / "numatch").string();
    manages_with("trap 'echo freed; exit 0' TERM; echo \"began $*\"; while :; do sleep 0.01; done");
  }
  ~supervised() override { fs::remove_all(folder_); }

  void manages_with(const std::string& script) const {
    {
      std::ofstream out(options_.numatch, std::ios::trunc);
      out << "#!/bin/sh\n" << script << "\n";
    }
    fs::permissions(options_.numatch, fs::perms::owner_all);
  }
  controller_child program() const {
    return std::move(controller_child::start({(folder_ / "managed").string(), "1000"}).value());
  }
  supervisor started() {
    return supervisor(wanted_, options_,
                      [this](const std::string& line) { told_.push_back(line); });
  }
  bool told(std::string_view text) const {
    return std::any_of(told_.begin(), told_.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  }
  void until_told(supervisor& watched, std::string_view text) const {
    while (!told(text)) {
      std::vector<pollfd> awaited = watched.awaited();
      ::poll(awaited.data(), awaited.size(), 100);
      watched.collect();
    }
  }

  fs::path folder_;
  configuration wanted_;
  supervisor_options options_;
  std::vector<std::string> told_;
};

TEST_F(supervised, AProgramThatMatchesIsWatchedAndNothingIsMovedUnlessItIsSaid) {
  const controller_child run = program();
  supervisor service = started();
  service.look();
  EXPECT_EQ(service.managed(), 1U);
  EXPECT_TRUE(told("nothing is moved (dry run)"));
  until_told(service, "began");
  EXPECT_TRUE(told("--dry-run"));
  EXPECT_TRUE(told("--sensor auto --budget 2"));
}

TEST_F(supervised, WithTheWordItActs) {
  wanted_.enabled = true;
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  EXPECT_FALSE(told("--dry-run"));
}

TEST_F(supervised, ARuleMayStayDry) {
  wanted_.enabled = true;
  wanted_.programs[0].dry_run = true;
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  EXPECT_TRUE(told("--dry-run"));
}

TEST_F(supervised, WhatItWouldDoIsSaidOnce) {
  manages_with(
      "for i in 1 2 3; do echo '{\"what\":\"would move\",\"threads\":'$i'}'; done; echo began");
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  EXPECT_TRUE(told("would move 1 threads"));
  EXPECT_FALSE(told("would move 2 threads"));
}

TEST_F(supervised, AtTheEndAllAreFreed) {
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  service.stop();
  EXPECT_TRUE(told("freed"));
  EXPECT_TRUE(told("no longer managed"));
  EXPECT_EQ(service.managed(), 0U);
}

TEST_F(supervised, OneThatDoesNotEndIsKilled) {
  manages_with("trap '' TERM; echo began; while :; do sleep 0.01; done");
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  service.stop(0);
  EXPECT_TRUE(told("is killed"));
  EXPECT_EQ(service.managed(), 0U);
}

TEST_F(supervised, ACrashTouchesNobodyElseAndIsNotTriedAgain) {
  manages_with("case $* in *\"--pid $(cat " + (folder_ / "weak").string() +
               ")\"*) kill -SEGV $$;; esac; echo began; while :; do sleep 0.01; done");
  const controller_child weak = program();
  const controller_child strong = program();
  const std::vector<matching_process> both =
      matching_processes(wanted_, options_.proc, options_.numatch);
  ASSERT_EQ(both.size(), 2U);
  std::ofstream(folder_ / "weak") << both[0].process.pid << "\n";
  supervisor service = started();
  service.look();
  until_told(service, "managing ended with 139");
  until_told(service, "began");
  service.look();
  EXPECT_EQ(service.managed(), 1U);
  EXPECT_NE(service.metrics().find("numatch_programs_failed_total 1\n"), std::string::npos);
}

TEST_F(supervised, AProgramThatIsNoLongerMeantIsLeft) {
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  configuration other = wanted_;
  other.programs[0].executable = "nobody-has-this-name";
  service.change(other);
  service.look();
  until_told(service, "no longer managed");
  EXPECT_EQ(service.managed(), 0U);
}

TEST_F(supervised, WhatAChangeDoesNotConcernGoesOn) {
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  configuration other = wanted_;
  other.programs.push_back(wanted_.programs[0]);
  other.interval_seconds = 9;
  service.change(other);
  service.look();
  service.collect();
  EXPECT_EQ(service.managed(), 1U);
  EXPECT_FALSE(told("freed"));
}

TEST_F(supervised, AProgramIsManagedAnewWhenItsRuleChanges) {
  const controller_child run = program();
  supervisor service = started();
  service.look();
  until_told(service, "began");
  configuration other = wanted_;
  other.programs[0].budget_percent = 7;
  service.change(other);
  service.look();
  until_told(service, "no longer managed");
  service.look();
  until_told(service, "--budget 7");
  EXPECT_EQ(service.managed(), 1U);
}

TEST_F(supervised, NoMoreThanAllowedAreManaged) {
  wanted_.most_programs = 1;
  const controller_child one = program();
  const controller_child two = program();
  supervisor service = started();
  service.look();
  EXPECT_EQ(service.managed(), 1U);
  EXPECT_TRUE(told("most_programs is reached"));
}

TEST_F(supervised, MetricsHaveWhatEachChildLeft) {
  options_.folder = folder_.string();
  manages_with(
      "while [ $# -gt 1 ]; do [ \"$1\" = --metrics ] && f=$2; shift; done\n"
      "printf '# TYPE a gauge\\na 3\\n# EOF\\n' > \"$f\"; echo began; "
      "while :; do sleep 0.01; done");
  const controller_child run = program();
  const pid_t pid = matching_processes(wanted_, options_.proc, options_.numatch).at(0).process.pid;
  supervisor service = started();
  service.look();
  until_told(service, "began");
  const std::string text = service.metrics();
  EXPECT_NE(text.find("numatch_managed_programs 1\n"), std::string::npos);
  EXPECT_NE(text.find(fmt::format("a{{program=\"it\",process=\"{}\"}} 3\n", pid)),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  service.stop(0);
  EXPECT_FALSE(fs::exists(folder_ / fmt::format("{}.prom", pid)));
}

TEST_F(supervised, NumatchItselfIsNotManaged) {
  wanted_.programs[0].executable = "sh";
  options_.numatch = fs::canonical("/bin/sh").string();
  const controller_child own =
      std::move(controller_child::start({"/bin/sh", "-c", "sleep 1000; true"}).value());
  for (const matching_process& match :
       matching_processes(wanted_, options_.proc, options_.numatch)) {
    EXPECT_NE(match.process.executable, options_.numatch);
  }
}

TEST(ControllerChild, WhatCannotBeStartedIsAnError) {
  const result<controller_child> none = controller_child::start({"/nowhere"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "/nowhere: cannot be started: No such file or directory");
}

TEST(ControllerChild, LinesComeWholeAndTheLastOneAtTheEnd) {
  controller_child child =
      std::move(controller_child::start({"/bin/sh", "-c", "printf 'a\\nb\\nc' >&2"}).value());
  pollfd end{child.end_fd(), POLLIN, 0};
  ::poll(&end, 1, -1);
  ASSERT_EQ(child.ended(), 0);
  EXPECT_EQ(child.take_lines(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(ControllerChild, SignalsThatAreHeldBackHereReachIt) {
  sigset_t term;
  sigset_t before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, &before);
  controller_child child = std::move(controller_child::start({"/bin/sleep", "1000"}).value());
  child.stop();
  pollfd end{child.end_fd(), POLLIN, 0};
  ::poll(&end, 1, -1);
  EXPECT_EQ(child.ended(), 128 + SIGTERM);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace numatch::service
