// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "instrumented/captured.hpp"

namespace numatch::test {
namespace {

constexpr std::uint64_t loop = 1000;  // counts.c

struct compiler {
  const char* name;
  const char* line;
  const char* needs = nullptr;
};

std::ostream& operator<<(std::ostream& out, const compiler& c) {
  return out << c.name;
}

bool have(const char* flag) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string word; in >> word;)
    if (word == flag) return true;
  return false;
}

const compiler compilers[] = {
    {"gcc", "numatch-cc -O2"},
    {"gcc_unoptimised", "numatch-cc -O0"},
    {"clang", "NUMATCH_CC=clang-19 numatch-cc -O2"},
    {"clang_lto", "NUMATCH_CC=clang-19 numatch-cc -O2 -flto"},
    // With vectors most accesses of these would be lost.
    {"clang_simd", "NUMATCH_CC=clang-19 numatch-cc -O3 -fopenmp"},
    {"clang_avx2", "NUMATCH_CC=clang-19 numatch-cc -O3 -fopenmp -march=x86-64-v3", "avx2"},
    {"gcc_avx2", "numatch-cc -O3 -fopenmp -march=x86-64-v3", "avx2"},
};

/// One run per compiler serves all tests.
captured run_of(const compiler& c) {
  static std::map<std::string, captured> runs;
  if (!runs.contains(c.name)) {
    const scratch folder;
    build(c.line, "counts.c", folder.path());
    runs[c.name] = capture("./program", folder.path());
  }
  return runs[c.name];
}

class Counts : public testing::TestWithParam<compiler> {
 protected:
  void SetUp() override {
    if (GetParam().needs != nullptr && !have(GetParam().needs))
      GTEST_SKIP() << "this processor has no " << GetParam().needs;
    seen_ = run_of(GetParam());
  }
  captured seen_;
};

TEST_P(Counts, OfALoopAreExact) {
  EXPECT_EQ(seen_.reads_of("b"), loop);
  EXPECT_EQ(seen_.writes_of("a"), loop);
  EXPECT_EQ(seen_.writes_of("b"), 0U);
  EXPECT_EQ(seen_.reads_of("a"), 1U);  // the printf
}

TEST_P(Counts, OfLoopsThatInviteVectorsAreExact) {
  EXPECT_EQ(seen_.reads_of("pairs"), 4 * loop);
  EXPECT_EQ(seen_.writes_of("halves"), loop);
  EXPECT_EQ(seen_.reads_of("halves"), loop / 2);
  EXPECT_EQ(seen_.writes_of("positive"), loop / 2);
  EXPECT_EQ(seen_.writes_of("summed"), loop);
  EXPECT_EQ(seen_.reads_of("eight"), 8U);
}

TEST_P(Counts, OfAStructureCopyAreNotDoubledByTheCallOfMemcpy) {
  EXPECT_EQ(seen_.writes_of("first"), 600U / 8);
  EXPECT_EQ(seen_.reads_of("second"), 600U / 8);
  EXPECT_EQ(seen_.writes_of("big_first"), 20000U / 8);
  EXPECT_EQ(seen_.reads_of("big_second"), 20000U / 8);
}

TEST_P(Counts, OfMemcpyAndMemsetAreSeen) {
  EXPECT_EQ(seen_.reads_of("from"), 4000U / 8);
  EXPECT_EQ(seen_.writes_of("to"), 4000U / 8);
  EXPECT_EQ(seen_.writes_of("cleared"), (4096U + 1000) / 8);
}

TEST_P(Counts, OfVolatileAccessesAreExact) {
  EXPECT_EQ(seen_.reads_of("volatile_word"), 10U);
  EXPECT_EQ(seen_.writes_of("volatile_word"), 10U);
}

TEST_P(Counts, ComeWithTheProgramsExitCodeAndOutput) {
  EXPECT_EQ(seen_.run.code, 7);
  EXPECT_EQ(seen_.run.output, "./program 0\n");
  EXPECT_EQ(seen_.run.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Compilers, Counts, testing::ValuesIn(compilers),
                         [](const testing::TestParamInfo<compiler>& i) { return i.param.name; });

}  // namespace
}  // namespace numatch::test
