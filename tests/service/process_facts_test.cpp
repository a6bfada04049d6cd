// SPDX-License-Identifier: Apache-2.0
#include "service/process_facts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace numatch::service {
namespace {

namespace fs = std::filesystem;

/// A /proc with one process, number 42.
class invented_proc {
 public:
  invented_proc() {
    std::string name = (fs::temp_directory_path() / "proc-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    fs::create_directory(folder());
    fs::create_symlink("/opt/a b/app", folder() / "exe");
    write("stat",
          "42 (a) b (c) R 1 42 42 0 -1 4194560 10 0 0 0 700 550 0 0 20 0 9 0 123456 1000 50 18446");
    write("status", "Name:\ta\nUid:\t1000\t0\t0\t0\nNSpid:\t42\t7\nThreads:\t9\n");
    write("cgroup", "0::/system.slice/a:b.service\n");
  }
  ~invented_proc() { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder() / file) << text;
  }
  fs::path folder() const { return root_ / "42"; }
  std::string root() const { return root_.string(); }
  std::optional<process_facts> read(std::uint64_t least_cpu_seconds = 0) const {
    return read_process(root(), 42, least_cpu_seconds);
  }

 private:
  fs::path root_;
};

TEST(ProcessFacts, AProcessIsReadWithAnyName) {
  const invented_proc proc;
  const std::optional<process_facts> read = proc.read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->executable, "/opt/a b/app");
  EXPECT_EQ(read->threads, 9U);
  EXPECT_EQ(read->start_time, 123456U);
  EXPECT_EQ(read->cpu_seconds, 1250U / static_cast<unsigned long>(::sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(read->user, 1000U);
  EXPECT_EQ(read->inner_pid, 7);
  EXPECT_EQ(read->cgroups, std::vector<std::string>{"/system.slice/a:b.service"});
}

TEST(ProcessFacts, WhoHasUsedLittleIsNotReadAnyFurther) {
  const invented_proc proc;
  EXPECT_FALSE(proc.read(1000));
}

TEST(ProcessFacts, AGroupOfEachHierarchyCounts) {
  const invented_proc proc;
  proc.write("cgroup", "5:memory:/a\n1:name=systemd:/b\n");
  EXPECT_EQ(proc.read()->cgroups, (std::vector<std::string>{"/a", "/b"}));
}

TEST(ProcessFacts, AFileThatWasReplacedKeepsItsName) {
  const invented_proc proc;
  fs::remove(proc.folder() / "exe");
  fs::create_symlink("/opt/app (deleted)", proc.folder() / "exe");
  EXPECT_EQ(proc.read()->executable, "/opt/app");
}

TEST(ProcessFacts, AKernelThreadIsNoProgram) {
  const invented_proc proc;
  fs::remove(proc.folder() / "exe");
  EXPECT_FALSE(proc.read());
}

TEST(ProcessFacts, ADamagedFileIsNoProcess) {
  for (const std::string text :
       {"", "42", "42 (a", "42 (a) R 1", "42 (a) R x x x x x x x x x x x x x"}) {
    const invented_proc proc;
    proc.write("stat", text);
    EXPECT_FALSE(proc.read()) << text;
  }
  const invented_proc proc;
  proc.write("status", "Name:\ta\n");
  EXPECT_FALSE(proc.read());
}

TEST(ProcessFacts, OnlyNumbersAreProcesses) {
  const invented_proc proc;
  fs::create_directory(fs::path(proc.root()) / "7");
  fs::create_directory(fs::path(proc.root()) / "self");
  fs::create_directory(fs::path(proc.root()) / "4x");
  EXPECT_EQ(all_processes(proc.root()), (std::vector<pid_t>{7, 42}));
  EXPECT_TRUE(all_processes("/nowhere").empty());
}

TEST(ProcessFacts, ThisProcessIsFound) {
  const std::vector<pid_t> all = all_processes("/proc");
  EXPECT_TRUE(std::binary_search(all.begin(), all.end(), ::getpid()));
  const std::optional<process_facts> self = read_process("/proc", ::getpid(), 0);
  ASSERT_TRUE(self);
  EXPECT_EQ(self->executable, fs::read_symlink("/proc/self/exe").string());
  EXPECT_EQ(self->user, ::getuid());
}

}  // namespace
}  // namespace numatch::service
