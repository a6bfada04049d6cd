// SPDX-License-Identifier: Apache-2.0
#include "live/process_view.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <numeric>

#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

TEST(ProcessView, CountsThisProcess) {
  const result<observed_process> self = observed_process::open(::getpid());
  ASSERT_TRUE(self) << self.error().message();
  const result<process_view> view = view_process(*self, read_system_files("/"));
  ASSERT_TRUE(view) << view.error().message();
  EXPECT_EQ(view->pid, ::getpid());
  ASSERT_FALSE(view->tasks.empty());
  const task_view& first = view->tasks.front();
  EXPECT_EQ(first.task, ::getpid());
  EXPECT_EQ(first.state, 'R');
  EXPECT_FALSE(first.may_run_on.empty());
  EXPECT_TRUE(first.node);
  if (!view->pages_known) GTEST_SKIP() << "this kernel has no NUMA";
  std::uint64_t sum = 0;
  for (const mapped_pages& mapping : view->mappings) sum += mapping.bytes();
  EXPECT_GT(sum, 0U);
  EXPECT_EQ(view->bytes, sum);
  EXPECT_LE(view->local_bytes, view->bytes);
  EXPECT_GE(view->even_share, 0);
  EXPECT_LE(view->even_share, 1);
  for (const node_share& share : view->nodes) {
    EXPECT_EQ(std::accumulate(share.by_kind.begin(), share.by_kind.end(), std::uint64_t{0}),
              share.bytes);
  }
}

TEST(ProcessView, AnEndedProcessIsAnError) {
  int life_line[2];
  ASSERT_EQ(::pipe(life_line), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char ignored = 0;
    ::close(life_line[1]);
    ::_exit(::read(life_line[0], &ignored, 1) == 0 ? 0 : 1);
  }
  ::close(life_line[0]);
  const result<observed_process> process = observed_process::open(child);
  EXPECT_TRUE(process);
  ::close(life_line[1]);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(process);
  const result<process_view> view = view_process(*process, read_system_files("/"));
  ASSERT_FALSE(view);
  EXPECT_TRUE(contains(view.error().message(), "has ended"));
}

}  // namespace
}  // namespace numatch::live
