// SPDX-License-Identifier: Apache-2.0
#include "live/uffd_armer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>

#include "live/child_process.hpp"
#include "live/new_kernel.hpp"
#include "live/proc_text.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

constexpr std::size_t pages = 16;
constexpr std::size_t bytes = pages * sensed_page_bytes;

bool kernel_has(std::uint64_t features) {
  const owned_fd fd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY)));
  uffdio_api api{};
  api.api = UFFD_API;
  return fd && ::ioctl(fd.get(), UFFDIO_API, &api) == 0 && (api.features & features) == features;
}

/// Whether a page of another process is write-protected by userfaultfd: bit 57 of its pagemap
/// entry (Documentation/admin-guide/mm/pagemap.rst).
bool is_protected(pid_t pid, const char* page) {
  const owned_fd file(::open(fmt::format("/proc/{}/pagemap", pid).c_str(), O_RDONLY));
  std::uint64_t entry = 0;
  const off_t at =
      static_cast<off_t>(reinterpret_cast<std::uint64_t>(page) / sensed_page_bytes * 8);
  EXPECT_EQ(::pread(file.get(), &entry, sizeof entry, at), 8);
  return (entry >> 57 & 1) != 0;
}

std::size_t protected_pages(pid_t pid, const char* memory) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pages; ++i) {
    count += is_protected(pid, memory + i * sensed_page_bytes) ? 1 : 0;
  }
  return count;
}

/// Memory that this process and a child forked later have at the same address.
class same_memory {
 public:
  explicit same_memory(int sharing)
      : first_(static_cast<char*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0))) {
    ::madvise(first_, bytes, MADV_NOHUGEPAGE);
  }
  same_memory(const same_memory&) = delete;
  same_memory& operator=(const same_memory&) = delete;
  ~same_memory() { ::munmap(first_, bytes); }
  char* page(std::size_t number) const { return first_ + number * sensed_page_bytes; }
  page_run run(std::size_t first, std::size_t count) const {
    return {page_number{reinterpret_cast<std::uint64_t>(page(first)) / sensed_page_bytes}, count};
  }
  mapped_range range() const {
    mapped_range range;
    range.first = reinterpret_cast<std::uint64_t>(first_);
    range.end = range.first + bytes;
    range.readable = range.writable = true;
    return range;
  }

 private:
  char* first_;
};

struct orders {
  std::atomic<int> ready{0};
  std::atomic<int> write{-1};  ///< page to be written
  std::atomic<int> written{-1};
};

/// Touches all its pages and then writes those that it is told to.
int write_as_told(orders& told, const same_memory& memory) {
  for (std::size_t i = 0; i < pages; ++i) *memory.page(i) = 1;
  told.ready = 1;
  for (;;) {
    const int page = told.write;
    if (page != told.written) {
      *memory.page(static_cast<std::size_t>(page)) = 2;
      told.written = page;
    }
    ::usleep(100);
  }
}

class WriteArming : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!kernel_has(uffd_feature_wp_async)) GTEST_SKIP() << "this kernel has no WP_ASYNC";
  }
};

TEST_P(WriteArming, ArmsChosenPagesUntilTheyAreWrittenAndLeavesNothingBehind) {
  const same_memory memory(GetParam());
  const shared_with_child<orders> told;
  const child_process child([&told, &memory] { return write_as_told(*told, memory); });
  wait_until([&told] { return told->ready == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  {
    const result<std::unique_ptr<uffd_armer>> armer =
        uffd_armer::open(*process, armed_uses::writes);
    ASSERT_TRUE(armer) << armer.error().message();
    const mapped_range range = memory.range();
    ASSERT_TRUE((*armer)->watch(std::span(&range, 1)));
    const std::array<page_run, 2> runs = {memory.run(2, 3), memory.run(9, 1)};
    const result<armed> done = (*armer)->arm(runs);
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->pages, 4U);
    EXPECT_EQ(done->refused, 0U);
    EXPECT_EQ(protected_pages(child.pid(), memory.page(0)), 4U);
    told->write = 3;
    wait_until([&told] { return told->written == 3; });
    EXPECT_FALSE(is_protected(child.pid(), memory.page(3)));
    EXPECT_EQ(protected_pages(child.pid(), memory.page(0)), 3U);
  }
  EXPECT_EQ(protected_pages(child.pid(), memory.page(0)), 0U);
  told->write = 2;
  wait_until([&told] { return told->written == 2; });
}

INSTANTIATE_TEST_SUITE_P(Memory, WriteArming, testing::Values(MAP_PRIVATE, MAP_SHARED));

TEST_F(WriteArming, FindsTheFewPagesOfALargeReservationThatAreThere) {
  constexpr std::uint64_t reserved = std::uint64_t{1} << 40;
  void* const memory = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "this system reserves no memory beyond what it has";
  ::madvise(memory, reserved, MADV_NOHUGEPAGE);
  char* const first = static_cast<char*>(memory);
  const std::uint64_t number = reinterpret_cast<std::uint64_t>(memory) / sensed_page_bytes;
  constexpr std::uint64_t far = reserved / sensed_page_bytes / 2 + 5;
  const shared_with_child<orders> told;
  const child_process child([&told, first]() -> int {
    for (const std::uint64_t page : {std::uint64_t{3}, std::uint64_t{10}, far}) {
      first[page * sensed_page_bytes] = 1;
    }
    told->ready = 1;
    for (;;) ::pause();
  });
  wait_until([&told] { return told->ready == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  const result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(*process, armed_uses::writes);
  ASSERT_TRUE(armer) << armer.error().message();
  const page_run all{page_number(number), reserved / sensed_page_bytes};
  const std::vector<page_run> found = (*armer)->in_memory(std::span(&all, 1));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].first.value, number + 3) << "small holes are no use to know";
  EXPECT_EQ(found[0].pages, 8U);
  EXPECT_EQ(found[1].first.value, number + far);
  EXPECT_EQ(found[1].pages, 1U);
  ::munmap(memory, reserved);
}

TEST_F(WriteArming, PagesOutsideOfWhatIsWatchedAreRefused) {
  const same_memory memory(MAP_PRIVATE);
  const shared_with_child<orders> told;
  const child_process child([&told, &memory] { return write_as_told(*told, memory); });
  wait_until([&told] { return told->ready == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  const result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(*process, armed_uses::writes);
  ASSERT_TRUE(armer) << armer.error().message();
  mapped_range part = memory.range();
  part.end -= 8 * sensed_page_bytes;
  mapped_range device = memory.range();
  device.name = "/dev/nvidia0";
  mapped_range nowhere;
  nowhere.first = 0x10000;
  nowhere.end = 0x20000;
  nowhere.readable = nowhere.writable = true;
  const std::vector<mapped_range> ranges = {nowhere, part, device};
  ASSERT_TRUE((*armer)->watch(ranges));
  const std::array<page_run, 2> runs = {memory.run(6, 4), page_run{page_number{16}, 16}};
  const result<armed> done = (*armer)->arm(runs);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->pages, 2U);
  EXPECT_EQ(done->refused, 18U);
}

TEST_F(WriteArming, ARangeOfTheProgramsOwnUserfaultfdIsRefused) {
  const same_memory memory(MAP_PRIVATE);
  const shared_with_child<orders> told;
  const child_process child([&told, &memory] {
    const int fd = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
    uffdio_api api{};
    api.api = UFFD_API;
    ::ioctl(fd, UFFDIO_API, &api);
    uffdio_register registered{};
    registered.range = {reinterpret_cast<std::uint64_t>(memory.page(0)), bytes};
    registered.mode = UFFDIO_REGISTER_MODE_WP;
    told->ready = ::ioctl(fd, UFFDIO_REGISTER, &registered) == 0 ? 1 : -1;
    for (;;) ::pause();
    return 0;
  });
  wait_until([&told] { return told->ready != 0; });
  ASSERT_EQ(told->ready, 1);
  const result<observed_process> process = observed_process::open(child.pid());
  const result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(*process, armed_uses::writes);
  ASSERT_TRUE(armer) << armer.error().message();
  const mapped_range range = memory.range();
  ASSERT_TRUE((*armer)->watch(std::span(&range, 1)));
  const page_run run = memory.run(0, pages);
  const result<armed> done = (*armer)->arm(std::span(&run, 1));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->refused, pages);
}

TEST_F(WriteArming, GoneMemoryAndGoneProcessesAreNoError) {
  const same_memory memory(MAP_PRIVATE);
  const shared_with_child<orders> told;
  child_process child([&told, &memory] {
    for (std::size_t i = 0; i < pages; ++i) *memory.page(i) = 1;
    told->ready = 1;
    wait_until([&told] { return told->write == 1; });
    ::munmap(memory.page(0), bytes);
    told->ready = 2;
    for (;;) ::pause();
    return 0;
  });
  wait_until([&told] { return told->ready == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  const result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(*process, armed_uses::writes);
  ASSERT_TRUE(armer) << armer.error().message();
  const mapped_range range = memory.range();
  ASSERT_TRUE((*armer)->watch(std::span(&range, 1)));
  told->write = 1;
  wait_until([&told] { return told->ready == 2; });
  const page_run run = memory.run(0, pages);
  result<armed> done = (*armer)->arm(std::span(&run, 1));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->pages, 0U);
  child.kill(SIGKILL);
  child.wait();
  done = (*armer)->arm(std::span(&run, 1));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->pages, 0U);
  EXPECT_TRUE((*armer)->watch(std::span(&range, 1)));
}

TEST_F(WriteArming, FollowsAProgramThroughExec) {
  const child_process child([] {
    const timespec first{0, 50'000'000};
    ::nanosleep(&first, nullptr);
    ::execlp("sleep", "sleep", "1000", nullptr);
    return 1;
  });
  const result<observed_process> process = observed_process::open(child.pid());
  const result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(*process, armed_uses::writes);
  ASSERT_TRUE(armer) << armer.error().message();
  wait_until([&process] {
    return process->name() == "sleep" &&
           read_task_stat(process->pid(), process->pid()).value().state == 'S';
  });
  std::vector<mapped_range> stack;
  wait_until([&process, &stack] {
    const std::vector<mapped_range> all = process->mappings().value();
    for (const mapped_range& range : all) {
      if (range.name == "[stack]") stack = {range};
    }
    return !stack.empty();
  });
  ASSERT_TRUE((*armer)->watch(stack));
  const page_run run{page_number{stack[0].first / sensed_page_bytes},
                     (stack[0].end - stack[0].first) / sensed_page_bytes};
  const result<armed> done = (*armer)->arm(std::span(&run, 1));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_GT(done->pages, 0U);
}

TEST_F(WriteArming, DoesNotSplitTransparentHugePages) {
  constexpr std::size_t huge = 2 * 1024 * 1024;
  char* const area = static_cast<char*>(
      ::mmap(nullptr, 2 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char* const memory =
      reinterpret_cast<char*>((reinterpret_cast<std::uint64_t>(area) + huge - 1) / huge * huge);
  ::madvise(memory, huge, MADV_HUGEPAGE);
  const shared_with_child<orders> told;
  const child_process child([&told, memory] {
    *memory = 1;
    told->ready = 1;
    for (;;) ::pause();
    return 0;
  });
  wait_until([&told] { return told->ready == 1; });
  const result<observed_process> process = observed_process::open(child.pid());
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(memory);
  const result<pagemap> map = pagemap::open(*process);
  ASSERT_TRUE(map);
  const std::vector<present_pages> present = map->present(first, first + huge);
  if (present.size() != 1 || !present[0].huge) GTEST_SKIP() << "the kernel gave no huge page";
  const result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(*process, armed_uses::writes);
  ASSERT_TRUE(armer) << armer.error().message();
  mapped_range range;
  range.first = first;
  range.end = first + huge;
  range.readable = range.writable = true;
  ASSERT_TRUE((*armer)->watch(std::span(&range, 1)));
  const page_run run{page_number{first / sensed_page_bytes}, huge / sensed_page_bytes};
  const result<armed> done = (*armer)->arm(std::span(&run, 1));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->pages, 0U);
  EXPECT_EQ(done->refused, huge / sensed_page_bytes);
  EXPECT_TRUE(map->present(first, first + huge)[0].huge);
  ::munmap(area, 2 * huge);
}

TEST(UffdArmer, AKernelWithoutItSaysWhichOneHasIt) {
  if (kernel_has(uffd_feature_rwp_async)) GTEST_SKIP() << "this kernel has RWP_ASYNC";
  const child_process child([] {
    for (;;) ::pause();
    return 0;
  });
  const result<observed_process> process = observed_process::open(child.pid());
  const result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(*process, armed_uses::all);
  ASSERT_FALSE(armer);
  EXPECT_TRUE(contains(armer.error().message(), "needs Linux 7.3"));
}

}  // namespace
}  // namespace numatch::live
