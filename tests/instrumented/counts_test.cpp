// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "instrumented/captured.hpp"

namespace numatch::test {
namespace {

constexpr std::uint64_t loop = 1000;  // counts.c

struct compiler {
  const char* name;
  const char* line;
  unsigned vector;  ///< doubles per access in the loop
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
    {"gcc", "numatch-cc -O2", 1},
    {"gcc_unoptimised", "numatch-cc -O0", 1},
    {"clang", "NUMATCH_CC=clang-19 numatch-cc -O2", 2},
    {"clang_lto", "NUMATCH_CC=clang-19 numatch-cc -O2 -flto", 2},
    // Without -mprefer-vector-width=128 most accesses of this one would be lost.
    {"clang_avx2", "NUMATCH_CC=clang-19 numatch-cc -O3 -march=x86-64-v3", 2, "avx2"},
};

class Counts : public testing::TestWithParam<compiler> {
 protected:
  void SetUp() override {
    if (GetParam().needs != nullptr && !have(GetParam().needs))
      GTEST_SKIP() << "this processor has no " << GetParam().needs;
    build(GetParam().line, "counts.c", folder_.path());
    seen_ = capture("./program", folder_.path());
  }
  scratch folder_;
  captured seen_;
};

TEST_P(Counts, OfALoopAreExact) {
  EXPECT_EQ(seen_.reads_of("b"), loop / GetParam().vector);
  EXPECT_EQ(seen_.writes_of("a"), loop / GetParam().vector);
  EXPECT_EQ(seen_.writes_of("b"), 0U);
  EXPECT_EQ(seen_.reads_of("a"), 1U);  // the printf
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
