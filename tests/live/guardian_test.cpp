// SPDX-License-Identifier: Apache-2.0
#include "live/guardian.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "live/child_process.hpp"
#include "live/proc_text.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

int sleep_for_ever() {
  for (;;) ::pause();
}

std::vector<unsigned> cpus_of(pid_t task) {
  return cpu_mask::of_task(task).value().cpus();
}

cpu_mask first_cpu_of(pid_t task) {
  return cpu_mask::of_cpu(cpus_of(task).front());
}

TEST(UndoJournal, HoldsWhatIsNotStruckOut) {
  result<undo_journal> journal = undo_journal::make();
  ASSERT_TRUE(journal) << journal.error().message();
  const lasting_id one{1, 10};
  const lasting_id reused{1, 11};
  ASSERT_TRUE(journal->policies_change(one, 0x1000, 0x2000));
  ASSERT_TRUE(journal->policies_change(one, 0x1000, 0x1800));  // within what is there
  ASSERT_TRUE(journal->policies_change(reused, 0x1000, 0x2000));
  ASSERT_TRUE(journal->affinity_changes(1, one, cpu_mask::of_cpus(std::vector<unsigned>{0, 70})));
  ASSERT_TRUE(journal->affinity_changes(1, one, cpu_mask::of_cpu(5)));  // the first one counts
  EXPECT_EQ(journal->open_policies().size(), 2U);
  ASSERT_EQ(journal->open_affinities().size(), 1U);
  EXPECT_EQ(journal->open_affinities()[0].cpus, (std::vector<unsigned>{0, 70}));
  journal->policies_restored(one);
  ASSERT_EQ(journal->open_policies().size(), 1U);
  EXPECT_EQ(journal->open_policies()[0].process.start_time, 11U);
  journal->affinity_restored(one);
  EXPECT_TRUE(journal->open_affinities().empty());
}

TEST(UndoJournal, UsesItsRoomAgainAndSaysWhenItIsFull) {
  result<undo_journal> journal = undo_journal::make();
  ASSERT_TRUE(journal) << journal.error().message();
  for (std::uint64_t round = 0; round < 100'000; ++round) {
    ASSERT_TRUE(journal->policies_change({1, round}, 0, 1));
    journal->policies_restored({1, round});
  }
  EXPECT_FALSE(journal->affinity_changes(1, {1, 1}, cpu_mask::of_cpu(100'000)));
  EXPECT_TRUE(journal->open_affinities().empty());
}

TEST(UndoJournal, KnowsTheProcessorsThatHeirsMayHave) {
  result<undo_journal> journal = undo_journal::make();
  ASSERT_TRUE(journal) << journal.error().message();
  const lasting_id program{1, 10};
  const cpu_mask own = cpu_mask::of_cpus(std::vector<unsigned>{0, 1, 2, 3});
  const cpu_mask given = cpu_mask::of_cpus(std::vector<unsigned>{2, 3});
  ASSERT_TRUE(journal->processors_given(program, own, given));
  ASSERT_TRUE(journal->processors_given(program, own, given));  // known already
  ASSERT_EQ(journal->open_given().size(), 1U);
  EXPECT_EQ(journal->open_given()[0].before, own.cpus());
  EXPECT_EQ(journal->open_given()[0].given, given.cpus());
  EXPECT_FALSE(journal->processors_given(program, own, cpu_mask::of_cpu(100'000)));
  journal->processors_taken_back({1, 11});
  EXPECT_EQ(journal->open_given().size(), 1U);
  journal->processors_taken_back(program);
  EXPECT_TRUE(journal->open_given().empty());
}

TEST(Guardian, PutsAffinitiesBackWhenTheMonitorIsKilled) {
  const child_process program(sleep_for_ever);
  const std::vector<unsigned> before = cpus_of(program.pid());
  if (before.size() < 2) GTEST_SKIP() << "there is one processor";
  const pid_t pid = program.pid();
  for (int round = 0; round < 10; ++round) {
    const shared_with_child<std::atomic<int>> moved;
    child_process monitor([&moved, pid] {
      result<guardian> guard = guardian::start();
      if (!guard) return 1;
      const lasting_id id = lasting_id_of(pid, pid);
      if (!guard->journal().affinity_changes(pid, id, cpu_mask::of_task(pid).value())) return 2;
      if (!first_cpu_of(pid).apply_to(pid)) return 3;
      *moved = 1;
      return sleep_for_ever();
    });
    wait_until([&moved] { return *moved == 1; });
    EXPECT_EQ(cpus_of(pid).size(), 1U);
    monitor.kill(SIGKILL);
    EXPECT_EQ(monitor.wait(), 128 + SIGKILL);
    wait_until([pid, &before] { return cpus_of(pid) == before; });
  }
}

TEST(Guardian, PutsBackWhatIsOpenWhenItsOwnerIsDoneAndNothingElse) {
  const child_process program(sleep_for_ever);
  const std::vector<unsigned> before = cpus_of(program.pid());
  if (before.size() < 2) GTEST_SKIP() << "there is one processor";
  const pid_t pid = program.pid();
  const lasting_id id = lasting_id_of(pid, pid);
  for (const bool struck_out : {false, true}) {
    result<guardian> guard = guardian::start();
    ASSERT_TRUE(guard) << guard.error().message();
    ASSERT_TRUE(guard->journal().affinity_changes(pid, id, cpu_mask::of_task(pid).value()));
    ASSERT_TRUE(first_cpu_of(pid).apply_to(pid));
    if (struck_out) guard->journal().affinity_restored(id);
    guard = fail("", "its owner is done");
    EXPECT_EQ(cpus_of(pid).size(), struck_out ? 1U : before.size());
  }
}

TEST(Guardian, ATaskWhoseNumberWasReusedIsNotTouched) {
  const child_process program(sleep_for_ever);
  const std::vector<unsigned> before = cpus_of(program.pid());
  if (before.size() < 2) GTEST_SKIP() << "there is one processor";
  result<undo_journal> journal = undo_journal::make();
  lasting_id id = lasting_id_of(program.pid(), program.pid());
  ++id.start_time;
  ASSERT_TRUE(journal->affinity_changes(program.pid(), id, first_cpu_of(program.pid())));
  ASSERT_TRUE(journal->policies_change(id, 0, ~std::uint64_t{0}));
  EXPECT_EQ(restore_changes(*journal), 0U);
  EXPECT_EQ(cpus_of(program.pid()), before);
}

TEST(Guardian, ProgramsThatHaveEndedAreNoFailure) {
  result<undo_journal> journal = undo_journal::make();
  lasting_id id;
  {
    const child_process program(sleep_for_ever);
    id = lasting_id_of(program.pid(), program.pid());
  }
  ASSERT_TRUE(journal->affinity_changes(id.number, id, cpu_mask::of_cpu(0)));
  ASSERT_TRUE(journal->policies_change(id, 0, 4096));
  EXPECT_EQ(restore_changes(*journal), 0U);
  EXPECT_EQ(lasting_id_of(id.number, id.number).number, 0);
}

/// The kernel undoes much when a descriptor is closed for the last time: the guardian must not have
/// it.
TEST(Guardian, HoldsNoFileOfItsOwnerAndIgnoresTheTerminal) {
  const int held = ::open("/dev/zero", O_RDONLY);
  ASSERT_GE(held, 0);
  {
    const result<guardian> guard = guardian::start();
    ASSERT_TRUE(guard) << guard.error().message();
    const std::string folder = fmt::format("/proc/{}/fd", guard->pid());
    wait_until([&guard] {
      return read_proc(fmt::format("/proc/{}/comm", guard->pid())) == "numatch-guard\n";
    });
    std::set<std::string> files;
    wait_until([&folder, &files] {
      files.clear();
      for (const std::filesystem::directory_entry& entry :
           std::filesystem::directory_iterator(folder)) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), gone);
        files.insert(target.starts_with("pipe:") ? "pipe" : target);
      }
      return files == std::set<std::string>{"/dev/null", "pipe"};
    });
    EXPECT_EQ(::getsid(guard->pid()), guard->pid());
    const std::string status = read_proc(fmt::format("/proc/{}/status", guard->pid())).value();
    const std::string ignored(status_field(status, "SigIgn").value());
    const unsigned long mask = std::stoul(ignored, nullptr, 16);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
      EXPECT_NE(mask >> (signal - 1) & 1, 0U) << signal;
    }
  }
  ::close(held);
}

}  // namespace
}  // namespace numatch::live
