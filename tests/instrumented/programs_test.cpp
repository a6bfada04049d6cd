// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "instrumented/captured.hpp"

namespace numatch::test {
namespace {

using trace::event_kind;

/// The traps of instrumentation that are about a program's life, each with gcc and clang + LTO.
class Programs : public testing::TestWithParam<const char*> {
 protected:
  captured run(const std::string& source, const std::string& command = "./program",
               const std::string& options = {}, const std::string& libraries = {}) {
    const bool lto = std::string(GetParam()) == "clang_lto";
    const bool cxx = source.ends_with(".cpp");
    const std::string compiler = lto ? (cxx ? "NUMATCH_CXX=clang++-19 numatch-c++ -O2 -flto"
                                            : "NUMATCH_CC=clang-19 numatch-cc -O2 -flto")
                                     : (cxx ? "numatch-c++ -O2" : "numatch-cc -O2");
    build(compiler + " " + options, source, folder_.path(), libraries);
    return capture(command, folder_.path());
  }
  scratch folder_;
};

TEST_P(Programs, HaveCorrectAtomicsThatAreRecorded) {
  const captured seen = run("atomics.c", "./program", "-mcx16", "-latomic");
  EXPECT_EQ(seen.run.code, 0) << seen.run.output;
  // Four threads, 2000 additions each; the check at the end may read once more.
  EXPECT_EQ(seen.writes_of("b32_add"), 8000U);
  EXPECT_GE(seen.reads_of("b32_add"), 8000U);
  EXPECT_EQ(seen.writes_of("b128_add"), 8000U);
  EXPECT_EQ(seen.reads_of("loaded"), 10U);
  EXPECT_EQ(seen.writes_of("stored"), 10U);
}

TEST_P(Programs, AreNotMadeToAllocateByACallback) {
  const captured seen = run("own_malloc.c", "./program", "-fno-builtin");
  EXPECT_EQ(seen.run.code, 0);
  EXPECT_EQ(seen.run.output, "0 nested, 1 + 0 calls\n");
}

TEST_P(Programs, LoseNothingWhenThreadsAreAliveAtTheExit) {
  const captured seen = run("endings.c", "./program threads_alive");
  EXPECT_EQ(seen.run.code, 3);
  EXPECT_EQ(seen.threads.size(), 2U);
  EXPECT_EQ(seen.writes_of("theirs"), 1000U);
  EXPECT_EQ(seen.writes_of("mine"), 1000U);
}

TEST_P(Programs, LoseNothingWhenTheFirstThreadEndsFirst) {
  const captured seen = run("endings.c", "./program pthread_exit");
  EXPECT_EQ(seen.run.code, 0);
  EXPECT_EQ(seen.writes_of("theirs"), 1000U);
}

TEST_P(Programs, AreRecordedWithoutTheirForkedChildren) {
  const captured seen = run("endings.c", "./program fork");
  EXPECT_EQ(seen.run.code, 5);
  EXPECT_EQ(seen.threads.size(), 1U);
  EXPECT_EQ(seen.writes_of("theirs"), 1000U);
}

TEST_P(Programs, AreRecordedWithoutTheProgramsThatTheyStart) {
  const captured seen = run("endings.c", "./program start_another");
  EXPECT_EQ(seen.run.code, 0);
  EXPECT_EQ(seen.threads.size(), 1U);
  EXPECT_EQ(seen.writes_of("theirs"), 0U);
}

TEST_P(Programs, MayReplaceThemselvesByAnother) {
  const captured seen = run("endings.c", "./program exec");
  EXPECT_EQ(seen.run.code, 9);
  EXPECT_EQ(seen.writes_of("mine"), 1000U);
}

TEST_P(Programs, KeepTheirWayToEnd) {
  captured seen = run("endings.c", "./program _exit");
  EXPECT_EQ(seen.run.code, 4);
  EXPECT_EQ(seen.writes_of("mine"), 1000U);
  seen = capture("./program abort", folder_.path());
  EXPECT_EQ(seen.run.code, 128 + SIGABRT);
  EXPECT_EQ(seen.writes_of("mine"), 1000U);
  seen = capture("./program killed", folder_.path());
  EXPECT_EQ(seen.run.code, 128 + SIGKILL);
  EXPECT_EQ(seen.writes_of("mine"), 1000U);
}

TEST_P(Programs, RunNormallyWithoutASession) {
  run("endings.c");
  const finished alone = shell("./program _exit", folder_.path());
  EXPECT_EQ(alone.code, 4);
  EXPECT_EQ(shell("./program fork", folder_.path()).code, 5);
  EXPECT_EQ(shell("NUMATCH_SESSION= ./program", folder_.path()).code, 8);
  EXPECT_EQ(shell("NUMATCH_SESSION=/no/such ./program", folder_.path()).code, 8);
}

TEST_P(Programs, MayHandleSignalsAtAnyMoment) {
  // Handlers that interrupt the recorder are not recorded; a torn record would break the reader.
  const captured seen = run("endings.c", "./program signals");
  EXPECT_EQ(seen.run.code, 0);
  EXPECT_LE(seen.writes_of("handled"), 200U * 10);
  EXPECT_GT(seen.reads_of("mine"), 0U);
}

TEST_P(Programs, ReportTheirAllocationsWithTheCallSite) {
  const captured seen = run("allocations.cpp");
  ASSERT_EQ(seen.run.code, 0);
  std::istringstream printed(seen.run.output);
  const std::uint64_t bytes[] = {101, 102, 128, 104, 103, 64, 5, 5000};
  const std::vector<seen_event> made = seen.threads[0].events_of(event_kind::allocate);
  const std::vector<seen_event> given_back = seen.threads[0].events_of(event_kind::free);
  const std::vector<seen_event> modules = seen.threads[0].events_of(event_kind::module);
  for (const std::uint64_t wanted : bytes) {
    std::uint64_t address = 0;
    printed >> std::hex >> address;
    const auto found = std::find_if(made.begin(), made.end(), [&](const seen_event& e) {
      return e.args[0] == address && e.args[1] == wanted;
    });
    ASSERT_NE(found, made.end()) << wanted << " bytes";
    // The call site lies in the program's own code.
    const auto in_program = [&](const seen_event& m) {
      return found->args[2] - m.args[0] < m.args[1] && m.text.ends_with("/program");
    };
    EXPECT_EQ(std::count_if(modules.begin(), modules.end(), in_program), 1) << wanted << " bytes";
    EXPECT_TRUE(std::any_of(
        given_back.begin(), given_back.end(),
        [&](const seen_event& e) { return e.args[0] == address && e.stamp > found->stamp; }))
        << wanted << " bytes";
  }
}

TEST_P(Programs, HaveAProgramCounterOfTheVeryLine) {
  captured seen = run("counts.c");
  const captured::range halves = seen.labels()["halves"];
  std::uint64_t base = ~std::uint64_t{0};
  for (const seen_event& m : seen.threads.at(0).events_of(event_kind::module))
    if (m.text.ends_with("/program")) base = std::min(base, m.args[0]);
  const std::vector<trace::access>& accesses = seen.threads[0].accesses;
  const auto write = std::find_if(accesses.begin(), accesses.end(), [&](const trace::access& a) {
    return a.write && a.address >= halves.begin && a.address < halves.end;
  });
  ASSERT_NE(write, accesses.end());
  std::ostringstream command;
  command << "addr2line -e program 0x" << std::hex << write->pc - base
          << " | sed 's/.*:\\([0-9]*\\).*/\\1p/' | xargs -I X sed -n X '" NUMATCH_SOURCE_DIR
             "/tests/instrumented/programs/counts.c'";
  const std::string line = shell(command.str(), folder_.path()).output;
  EXPECT_NE(line.find("halves[i] = "), std::string::npos) << line;
}

TEST_P(Programs, ReportWhatTheyDoWithTheAddressSpaceAndTheirPlace) {
  const captured seen = run("allocations.cpp");
  ASSERT_EQ(seen.run.code, 0);
  const seen_thread& first = seen.threads.at(0);
  const std::vector<seen_event> maps = first.events_of(event_kind::map);
  ASSERT_EQ(maps.size(), 1U);
  const std::uint64_t at = maps[0].args[0];
  EXPECT_EQ(maps[0].args[1], 4U * 4096);
  EXPECT_EQ(maps[0].args[2], 1U);  // PROT_READ
  ASSERT_EQ(first.events_of(event_kind::protect).size(), 1U);
  EXPECT_EQ(first.events_of(event_kind::protect)[0].args[2], 3U);
  ASSERT_EQ(first.events_of(event_kind::advise).size(), 1U);
  EXPECT_EQ(first.events_of(event_kind::advise)[0].args[0], at);
  ASSERT_EQ(first.events_of(event_kind::remap).size(), 1U);
  EXPECT_EQ(first.events_of(event_kind::remap)[0].args[3], 8U * 4096);
  ASSERT_EQ(first.events_of(event_kind::unmap).size(), 1U);
  EXPECT_EQ(first.events_of(event_kind::affinity).size(), 1U);
  const std::vector<seen_event> names = first.events_of(event_kind::thread_name);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names[0].text, "renamed");
  EXPECT_EQ(first.events_of(event_kind::stack).size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Programs, testing::Values("gcc", "clang_lto"),
                         [](const testing::TestParamInfo<const char*>& i) { return i.param; });

TEST(Fortran, LoopsAreCountedExactly) {
  const scratch folder;
  build("numatch-fc -O2", "sums.f90", folder.path());
  const captured seen = capture("./program", folder.path());
  EXPECT_EQ(seen.run.code, 0);
  EXPECT_EQ(seen.run.output, "   3.0\n");
  EXPECT_EQ(seen.writes_of("a"), 1000U);
  EXPECT_EQ(seen.reads_of("b"), 1000U);
  EXPECT_EQ(seen.writes_of("b"), 1000U);
}

}  // namespace
}  // namespace numatch::test
