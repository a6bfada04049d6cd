// SPDX-License-Identifier: Apache-2.0
#include "live/policy_armer.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <array>
#include <filesystem>

#include "live/child_process.hpp"
#include "live/policy_ranges.hpp"
#include "live/proc_text.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

constexpr std::size_t pages = 32;
constexpr std::size_t bytes = pages * sensed_page_bytes;

TEST(PolicyRanges, TakeTheirEndsFromTheMappings) {
  std::vector<mapped_range> mappings(3);
  mappings[0].first = 0x1000;
  mappings[0].end = 0x3000;
  mappings[1].first = 0x5000;
  mappings[1].end = 0x6000;
  mappings[2].first = 0x7000;
  mappings[2].end = 0x9000;
  const std::vector<policy_range> ranges = policy_ranges(
      "1000 default anon=2 dirty=2 N0=2 kernelpagesize_kB=4\n"
      "4000 default\n"
      "5000 prefer (many)=balancing:2 anon=1\n"
      "nonsense\n"
      "7000 bind:0-1",
      mappings);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0].end, 0x3000U);
  EXPECT_EQ(ranges[0].policy, "default");
  EXPECT_EQ(ranges[1].policy, "prefer (many)=balancing:2");
  EXPECT_EQ(ranges[2].policy, "bind:0-1");
}

TEST(PolicyRanges, ThoseOfNumatchAreKnown) {
  EXPECT_TRUE(is_hint_policy("prefer (many)=balancing:2"));
  EXPECT_TRUE(is_hint_policy("bind=balancing:0"));
  EXPECT_TRUE(is_hint_policy("bind=:0"));
  EXPECT_TRUE(is_hint_policy("local"));
  EXPECT_FALSE(is_hint_policy("bind:0"));
  EXPECT_FALSE(is_hint_policy("bind=static:0"));
  EXPECT_FALSE(is_hint_policy("bind=static|balancing:0"));
  EXPECT_FALSE(is_hint_policy("prefer:1"));
  EXPECT_FALSE(is_hint_policy("default"));
}

TEST(NodeRuns, AreNeighboursOnOneNode) {
  const std::array<int, 8> nodes = {0, 0, 1, -2, 1, 1, -14, 0};
  const std::vector<node_run> runs = runs_of_nodes(0x10000, nodes);
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].first, 0x10000U);
  EXPECT_EQ(runs[0].end, 0x12000U);
  EXPECT_EQ(runs[1].node, 1U);
  EXPECT_EQ(runs[1].end, 0x13000U);
  EXPECT_EQ(runs[2].first, 0x14000U);
  EXPECT_EQ(runs[2].end, 0x16000U);
  EXPECT_EQ(runs[3].node, 0U);
  EXPECT_TRUE(runs_of_nodes(0, {}).empty());
}

class Policies : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/proc/self/numa_maps")) {
      GTEST_SKIP() << "this kernel has no NUMA";
    }
    first_ = static_cast<char*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    // Neither huge pages nor neighbours that it could be joined with.
    ::madvise(first_, bytes, MADV_NOHUGEPAGE);
  }
  void TearDown() override {
    if (first_ != nullptr) ::munmap(first_, bytes);
  }

  std::uint64_t address(std::size_t page = 0) const {
    return reinterpret_cast<std::uint64_t>(first_) + page * sensed_page_bytes;
  }
  page_run run(std::size_t from, std::size_t count) const {
    return {page_number{address(from) / sensed_page_bytes}, count};
  }
  void touch(std::size_t from, std::size_t count) const {
    for (std::size_t i = from; i < from + count; ++i) first_[i * sensed_page_bytes] = 1;
  }
  /// The mapping that holds all pages in `process`.
  std::vector<mapped_range> mapping(const observed_process& process) const {
    std::vector<mapped_range> found;
    const std::vector<mapped_range> all = process.mappings().value();
    for (const mapped_range& range : all) {
      if (range.first < address(pages) && address() < range.end) found.push_back(range);
    }
    return found;
  }
  /// Policy of a page.
  std::string policy(const observed_process& process, std::size_t page) const {
    const std::vector<policy_range> all = read_policies(process).value();
    for (const policy_range& range : all) {
      if (range.first <= address(page) && address(page) < range.end) return range.policy;
    }
    return "none";
  }
  std::size_t hinted_ranges(const observed_process& process) const {
    std::size_t count = 0;
    const std::vector<policy_range> all = read_policies(process).value();
    for (const policy_range& range : all) {
      count += is_hint_policy(range.policy) ? 1 : 0;
    }
    return count;
  }

  char* first_ = nullptr;
  shared_with_child<std::atomic<int>> told_;
};

TEST_F(Policies, PresentPagesGetAPolicyThatIsTakenBack) {
  const child_process child([this] {
    touch(0, 8);
    *told_ = 1;
    wait_until([this] { return *told_ == 2; });
    touch(8, 8);
    *told_ = 3;
    for (;;) ::pause();
    return 0;
  });
  wait_until([this] { return *told_ == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  {
    const result<std::unique_ptr<policy_armer>> armer = policy_armer::open(*process);
    ASSERT_TRUE(armer) << armer.error().message();
    const result<void> watched = (*armer)->watch(mapping(*process));
    ASSERT_TRUE(watched) << watched.error().message();
    EXPECT_TRUE(is_hint_policy(policy(*process, 0))) << policy(*process, 0);
    EXPECT_EQ(policy(*process, 8), "default");  // not there yet: goes where it would have gone
    *told_ = 2;
    wait_until([this] { return *told_ == 3; });
    const page_run more = run(4, 16);
    const result<armed> done = (*armer)->arm(std::span(&more, 1));
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->pages, 12U);
    EXPECT_EQ(done->refused, 0U);
    EXPECT_TRUE(is_hint_policy(policy(*process, 15)));
    EXPECT_EQ(policy(*process, 16), "default");
    // Once more: what is prepared stays so.
    const result<void> again = (*armer)->watch(mapping(*process));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(is_hint_policy(policy(*process, 15)));
  }
  EXPECT_EQ(hinted_ranges(*process), 0U);
  EXPECT_EQ(policy(*process, 0), "default");
}

TEST_F(Policies, AProgramsOwnPolicyIsLeftAlone) {
  const child_process child([this] {
    touch(0, pages);
    const unsigned long node = 1;
    const long set = ::syscall(SYS_mbind, first_, 4 * sensed_page_bytes, MPOL_BIND, &node, 65, 0);
    *told_ = set == 0 ? 1 : 2;
    for (;;) ::pause();
    return 0;
  });
  wait_until([this] { return *told_ != 0; });
  ASSERT_EQ(*told_, 1);
  const result<observed_process> process = observed_process::open(child.pid());
  {
    const result<std::unique_ptr<policy_armer>> armer = policy_armer::open(*process);
    ASSERT_TRUE(armer) << armer.error().message();
    ASSERT_TRUE((*armer)->watch(mapping(*process)));
    EXPECT_EQ(policy(*process, 0), "bind:0");
    EXPECT_TRUE(is_hint_policy(policy(*process, 4)));
    const page_run all = run(0, pages);
    const result<armed> done = (*armer)->arm(std::span(&all, 1));
    EXPECT_EQ(done->pages, pages - 4);
    EXPECT_EQ(done->refused, 4U);
  }
  EXPECT_EQ(policy(*process, 0), "bind:0");
  EXPECT_EQ(hinted_ranges(*process), 0U);
}

TEST_F(Policies, APolicyThatTheProgramSetsMeanwhileStays) {
  const child_process child([this] {
    touch(0, pages);
    *told_ = 1;
    wait_until([this] { return *told_ == 2; });
    const unsigned long node = 1;
    ::syscall(SYS_mbind, first_, 4 * sensed_page_bytes, MPOL_BIND, &node, 65, 0);
    *told_ = 3;
    for (;;) ::pause();
    return 0;
  });
  wait_until([this] { return *told_ == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  {
    const result<std::unique_ptr<policy_armer>> armer = policy_armer::open(*process);
    ASSERT_TRUE(armer) << armer.error().message();
    ASSERT_TRUE((*armer)->watch(mapping(*process)));
    *told_ = 2;
    wait_until([this] { return *told_ == 3; });
  }
  EXPECT_EQ(policy(*process, 0), "bind:0");
  EXPECT_EQ(policy(*process, 4), "default");
}

TEST_F(Policies, AForkedChildDoesNotKeepThem) {
  const shared_with_child<std::atomic<pid_t>> grandchild;
  const child_process child([this, &grandchild] {
    touch(0, pages);
    *told_ = 1;
    wait_until([this] { return *told_ == 2; });
    const pid_t me = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      end_with(me);
      for (;;) ::pause();
    }
    *grandchild = pid;
    for (;;) ::pause();
    return 0;
  });
  wait_until([this] { return *told_ == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  result<observed_process> other = fail("", "not there yet");
  {
    const result<std::unique_ptr<policy_armer>> armer = policy_armer::open(*process);
    ASSERT_TRUE(armer) << armer.error().message();
    ASSERT_TRUE((*armer)->watch(mapping(*process)));
    *told_ = 2;
    wait_until([&grandchild] { return *grandchild != 0; });
    other = observed_process::open(*grandchild);
    ASSERT_TRUE(other) << other.error().message();
    EXPECT_GT(hinted_ranges(*other), 0U);
  }
  EXPECT_EQ(hinted_ranges(*other), 0U);
}

/// What the monitor below tells the test.
struct progress {
  std::atomic<int> done{0};  ///< 2: policies are set, 3: it cannot go on
};

TEST_F(Policies, AreTakenBackWhenTheMonitorIsKilled) {
  const child_process child([this] {
    touch(0, pages);
    *told_ = 1;
    for (;;) ::pause();
    return 0;
  });
  wait_until([this] { return *told_ == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  const pid_t pid = child.pid();
  for (int round = 0; round < 10; ++round) {
    const shared_with_child<progress> seen;
    child_process monitor([&seen, pid, this] {
      const result<observed_process> observed = observed_process::open(pid);
      const result<std::unique_ptr<policy_armer>> armer = policy_armer::open(*observed);
      while (armer && (*armer)->watch(mapping(*observed))) seen->done = 2;
      seen->done = 3;
      return 1;
    });
    wait_until([&seen] { return seen->done != 0; });
    ASSERT_EQ(seen->done, 2);
    EXPECT_GT(hinted_ranges(*process), 0U);
    monitor.kill(SIGKILL);
    EXPECT_EQ(monitor.wait(), 128 + SIGKILL);
    wait_until([&process, pid, this] {
      const std::string status = read_proc(fmt::format("/proc/{}/status", pid)).value();
      return hinted_ranges(*process) == 0 && status_field(status, "TracerPid") == "0";
    });
  }
}

}  // namespace
}  // namespace numatch::live
