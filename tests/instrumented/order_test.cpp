// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "instrumented/captured.hpp"

namespace numatch::test {
namespace {

using trace::event_kind;

struct setup {
  const char* name;
  const char* c;
  const char* cxx;
};

std::ostream& operator<<(std::ostream& out, const setup& s) {
  return out << s.name;
}

const setup setups[] = {
    {"gcc", "numatch-cc -O2", "numatch-c++ -O2"},
    {"clang", "NUMATCH_CC=clang-19 numatch-cc -O1", "NUMATCH_CXX=clang++-19 numatch-c++ -O1"},
    {"clang_lto", "NUMATCH_CC=clang-19 numatch-cc -O2 -flto",
     "NUMATCH_CXX=clang++-19 numatch-c++ -O2 -flto"},
};

/// In a replay no thread may read what another has not written yet.
class Order : public testing::TestWithParam<setup> {
 protected:
  void run(const std::string& compiler, const std::string& source) {
    build(compiler, source, folder_.path());
    seen_ = capture("./program", folder_.path());
    EXPECT_EQ(seen_.run.code, 0) << seen_.run.output << seen_.run.errors;
  }
  void expect_kept(std::initializer_list<const char*> labels) {
    std::map<std::string, std::uint64_t> too_early = reads_before_writes(seen_, folder_.path());
    for (const char* label : labels) {
      EXPECT_GT(seen_.reads_of(label), 0U) << label;
      EXPECT_EQ(too_early[label], 0U) << label;
    }
  }
  scratch folder_;
  captured seen_;
};

TEST_P(Order, OfEveryKindOfPthreadSynchronisationIsKept) {
  run(GetParam().c, "pthreads.c");
  expect_kept({"by_create", "by_join", "by_condition", "by_semaphore", "by_rwlock", "by_spin",
               "by_once", "by_mtx", "by_barrier"});
  EXPECT_EQ(seen_.threads.size(), 7U);
}

TEST_P(Order, OfTheCxxLibrarysThreadsIsKept) {
  run(GetParam().cxx, "std_threads.cpp");
  expect_kept({"before_main", "by_thread", "by_join", "by_condition"});
}

TEST_P(Order, OfAnOpenMpTeamIsKept) {
  run(std::string(GetParam().c) + " -fopenmp", "team.c");
  expect_kept({"values", "for_tasks", "in_tasks"});
  ASSERT_EQ(seen_.threads.size(), 4U);
  for (const seen_thread& thread : seen_.threads) EXPECT_GT(thread.accesses.size(), 4096U);
}

TEST_P(Order, OfThreadNumbersIsTheOrderOfCreation) {
  run(GetParam().c, "pthreads.c");
  ASSERT_EQ(seen_.threads.size(), 7U);
  std::uint64_t earlier = 0;
  for (const seen_thread& thread : seen_.threads) {
    const std::vector<seen_event> starts = thread.events_of(event_kind::thread_start);
    ASSERT_EQ(starts.size(), 1U);
    EXPECT_GT(starts[0].stamp, earlier);
    earlier = starts[0].stamp;
    EXPECT_EQ(starts[0].args[1], &thread == &seen_.threads[0] ? ~std::uint64_t{0} : 0U);
    EXPECT_EQ(thread.events_of(event_kind::thread_end).size(), 1U);
  }
}

TEST_P(Order, OfBarrierUsesDoesNotTieAThreadToTheNextUse) {
  run(GetParam().c, "pthreads.c");
  ASSERT_EQ(seen_.threads.size(), 7U);
  // Threads 3 to 6 meet 20 times: every use is a different object, the same for all four.
  std::vector<std::uint64_t> objects;
  for (const seen_event& e : seen_.threads[3].events_of(event_kind::release))
    if (e.args[0] >> 61 == 1) objects.push_back(e.args[0]);
  EXPECT_EQ(objects.size(), 20U);
  std::vector<std::uint64_t> others;
  for (const seen_event& e : seen_.threads[6].events_of(event_kind::acquire))
    if (e.args[0] >> 61 == 1) others.push_back(e.args[0]);
  EXPECT_EQ(objects, others);
  std::sort(objects.begin(), objects.end());
  EXPECT_EQ(std::unique(objects.begin(), objects.end()), objects.end());
}

INSTANTIATE_TEST_SUITE_P(Compilers, Order, testing::ValuesIn(setups),
                         [](const testing::TestParamInfo<setup>& i) { return i.param.name; });

}  // namespace
}  // namespace numatch::test
