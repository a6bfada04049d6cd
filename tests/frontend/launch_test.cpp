// SPDX-License-Identifier: Apache-2.0
#include "frontend/launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "frontend/files.hpp"
#include "frontend/passive_waiting.hpp"
#include "frontend/qemu.hpp"

namespace numatch::frontend {
namespace {

using std::chrono::milliseconds;

launch_plan shell(const std::string& script) {
  launch_plan plan;
  plan.executable = "/bin/sh";
  plan.arguments = {"sh", "-c", script};
  return plan;
}

int code_of(const launch_plan& plan) {
  const result<outcome> ended = launch(plan, signals_held(), milliseconds(1000), [] {});
  return ended ? ended->exit_code() : -1;
}

TEST(launch, gives_the_exit_code) {
  EXPECT_EQ(code_of(shell("exit 0")), 0);
  EXPECT_EQ(code_of(shell("exit 255")), 255);
}

TEST(launch, gives_the_signal_like_a_shell) {
  const result<outcome> ended =
      launch(shell("kill -KILL $$"), signals_held(), milliseconds(1000), [] {});
  ASSERT_TRUE(ended);
  EXPECT_FALSE(ended->exited());
  EXPECT_EQ(ended->signal(), SIGKILL);
  EXPECT_EQ(ended->exit_code(), 137);
}

TEST(launch, sets_and_removes_variables) {
  const variable kept("NUMATCH_TEST_KEPT", "1");
  const variable changed("NUMATCH_TEST_CHANGED", "old");
  const variable removed("NUMATCH_TEST_REMOVED", "1");
  launch_plan plan = shell(
      "test \"$NUMATCH_TEST_KEPT\" = 1 && test \"$NUMATCH_TEST_CHANGED\" = 'a=b c' && "
      "test -z \"${NUMATCH_TEST_REMOVED+set}\"");
  plan.environment["NUMATCH_TEST_CHANGED"] = "a=b c";
  plan.removed_environment = {"NUMATCH_TEST_REMOVED"};
  EXPECT_EQ(code_of(plan), 0);
}

TEST(launch, of_a_missing_program_is_an_error) {
  launch_plan plan;
  plan.executable = "/not/here";
  plan.arguments = {"here"};
  const result<outcome> ended = launch(plan, signals_held(), milliseconds(1000), [] {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().where, "/not/here");
}

TEST(launch, calls_while_it_waits) {
  const file_folder folder;
  const std::string stop = (folder.path() / "stop").string();
  int ticks = 0;
  const result<outcome> ended =
      launch(shell("while ! test -e " + stop + "; do sleep 0.01; done; exit 3"), signals_held(),
             milliseconds(5), [&] {
               if (++ticks == 3) folder.executable("stop", "");
             });
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code(), 3);
  EXPECT_GE(ticks, 3);
}

TEST(launch, passes_a_signal_on_and_keeps_its_own_mask) {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const result<outcome> ended =
      launch(shell("trap 'exit 9' USR1; kill -USR1 $PPID; while :; do sleep 0.01; done"),
             signals_held(), milliseconds(1000), [] {});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code(), 9);
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGUSR1), sigismember(&after, SIGUSR1));
}

TEST(launch, starts_nothing_after_an_interrupt) {
  const file_folder folder;
  const std::string made = (folder.path() / "made").string();
  const signals_held held;
  ::raise(SIGTERM);
  const result<outcome> ended = launch(shell("touch " + made), held, milliseconds(1000), [] {});
  int taken = 0;
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::sigwait(&term, &taken);
  EXPECT_FALSE(ended);
  EXPECT_FALSE(std::filesystem::exists(made));
}

TEST(passive_waiting, is_asked_for_unless_the_user_has_decided) {
  launch_plan plan;
  {
    const variable policy("OMP_WAIT_POLICY", "active");
    const variable spins("GOMP_SPINCOUNT", "7");
    wait_passively(plan);
    EXPECT_TRUE(plan.environment.empty());
  }
  ::unsetenv("OMP_WAIT_POLICY");
  ::unsetenv("GOMP_SPINCOUNT");
  wait_passively(plan);
  EXPECT_EQ(plan.environment["OMP_WAIT_POLICY"], "passive");
  EXPECT_EQ(plan.environment["GOMP_SPINCOUNT"], "0");
}

/// A folder with a QEMU that knows plugins and the two libraries, all of them empty inside.
class qemu_plan : public testing::Test {
 protected:
  qemu_plan()
      : qemu_("NUMATCH_QEMU",
              folder_.executable("qemu", "#!/bin/sh\nprintf 'usage\\n-plugin [file=]x\\n'\n")),
        libraries_("NUMATCH_LIBDIR", folder_.path().string()) {
    folder_.executable("libnumatch_qemu.so", "");
    folder_.executable("libnumatch_preload.so", "");
    program_.path = "/bin/program";
    program_.arguments = {"program", "--option", "-E"};
  }
  static bool has(const launch_plan& plan, const std::string& word) {
    return std::count(plan.arguments.begin(), plan.arguments.end(), word) > 0;
  }
  file_folder folder_;
  variable qemu_;
  variable libraries_;
  program_file program_;
};

TEST_F(qemu_plan, puts_the_program_and_its_arguments_last) {
  const result<launch_plan> plan = plan_qemu(program_, {"/s", true});
  ASSERT_TRUE(plan) << plan.error().message();
  const std::vector<std::string> tail(plan->arguments.end() - 3, plan->arguments.end());
  EXPECT_EQ(tail, (std::vector<std::string>{"/bin/program", "--option", "-E"}));
  EXPECT_EQ(plan->environment.at("NUMATCH_SESSION"), "/s");
}

TEST_F(qemu_plan, gives_preloads_to_the_program_and_not_to_qemu) {
  const variable preload("LD_PRELOAD", "/theirs.so");
  const std::string ours = (folder_.path() / "libnumatch_preload.so").string();
  const result<launch_plan> with = plan_qemu(program_, {"/s", true});
  ASSERT_TRUE(with);
  EXPECT_TRUE(has(*with, "LD_PRELOAD=" + ours + ":/theirs.so"));
  EXPECT_TRUE(std::count(with->removed_environment.begin(), with->removed_environment.end(),
                         "LD_PRELOAD") > 0);
  const result<launch_plan> without = plan_qemu(program_, {"/s", false});
  ASSERT_TRUE(without);
  EXPECT_TRUE(has(*without, "LD_PRELOAD=/theirs.so"));
}

TEST_F(qemu_plan, doubles_commas_in_the_plugins_path) {
  std::filesystem::create_directory(folder_.path() / "a,b");
  std::filesystem::copy(folder_.path() / "libnumatch_qemu.so", folder_.path() / "a,b");
  const variable libraries("NUMATCH_LIBDIR", (folder_.path() / "a,b").string());
  const result<launch_plan> plan = plan_qemu(program_, {"/s", false});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_TRUE(has(*plan, (folder_.path() / "a,,b/libnumatch_qemu.so").string()));
}

TEST_F(qemu_plan, explains_only_an_illegal_instruction) {
  EXPECT_TRUE(explain_qemu_end(program_, outcome{SIGILL}));
  EXPECT_FALSE(explain_qemu_end(program_, outcome{SIGSEGV}));
  EXPECT_FALSE(explain_qemu_end(program_, outcome{0}));
}

}  // namespace
}  // namespace numatch::frontend
