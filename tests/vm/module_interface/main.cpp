// SPDX-License-Identifier: Apache-2.0
// What the kernel module's device answers: values, limits, errors. Runs as root in the guest.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "module_interface/observed.hpp"
#include "uapi/numatch.h"

namespace {

class device {
 public:
  device() : fd_(::open(NUMATCH_DEVICE, O_RDWR | O_CLOEXEC)) {}
  ~device() {
    if (fd_ >= 0) ::close(fd_);
  }
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  int fd() const { return fd_; }
  /// 0 or errno.
  int ask(unsigned long command, void* argument) const {
    return ::ioctl(fd_, command, argument) == 0 ? 0 : errno;
  }
  int start(numatch_start asked) {
    const int error = ask(NUMATCH_IOC_START, &asked);
    message = asked.message;
    return error;
  }
  numatch_stats stats() const {
    numatch_stats found{};
    EXPECT_EQ(ask(NUMATCH_IOC_STATS, &found), 0);
    return found;
  }
  std::vector<numatch_pair> pairs() const {
    std::vector<numatch_pair> found(65536);
    numatch_snapshot asked{reinterpret_cast<__u64>(found.data()), found.size(), 0};
    EXPECT_EQ(ask(NUMATCH_IOC_SNAPSHOT, &asked), 0);
    found.resize(asked.count);
    return found;
  }

  std::string message;

 private:
  int fd_ = -1;
};

numatch_start of(pid_t pid) {
  numatch_start asked{};
  asked.pid = pid;
  asked.mode = NUMATCH_MULTI;
  return asked;
}

/// Until it is so. The script has a limit; here is none, since hosts are slow.
void wait_until(const std::function<bool()>& so) {
  while (!so()) ::usleep(10'000);
}

bool sees_all_pages(const device& at, const observed& child) {
  std::set<__u64> seen;
  for (const numatch_pair& one : at.pairs()) {
    if (one.thread == child.pid()) seen.insert(one.page);
  }
  for (std::size_t page = 0; page < observed::pages; ++page) {
    if (!seen.contains(reinterpret_cast<__u64>(child.memory()) + page * 4096)) return false;
  }
  return true;
}

TEST(Module, says_its_version_and_its_limits) {
  device at;
  numatch_info info{};
  ASSERT_EQ(at.ask(NUMATCH_IOC_INFO, &info), 0);
  EXPECT_EQ(info.abi, unsigned{NUMATCH_ABI});
  EXPECT_TRUE(info.levels == 4 || info.levels == 5);
  EXPECT_GE(info.max_views, 64U);
  EXPECT_GE(info.max_ring_records, 65536U);
}

TEST(Module, refuses_what_is_above_its_limits_or_unknown) {
  observed child;
  const std::vector<std::function<void(numatch_start&)>> wrongs = {
      [](numatch_start& asked) { asked.mode = 0; },
      [](numatch_start& asked) { asked.mode = 3; },
      [](numatch_start& asked) { asked.flags = 2; },
      [](numatch_start& asked) { asked.reserved = 1; },
      [](numatch_start& asked) { asked.zap_share = 91; },
      [](numatch_start& asked) { asked.views = 257; },
      [](numatch_start& asked) { asked.threads = 4097; },
      [](numatch_start& asked) { asked.table_pages = 65537; },
      [](numatch_start& asked) { asked.ring_records = 1U << 21U; },
      [](numatch_start& asked) { asked.ring_records = 1000; },
      [](numatch_start& asked) { asked.ring_records = 1; },
      [](numatch_start& asked) { asked.pairs = 1U << 23U; },
      [](numatch_start& asked) { asked.pairs = 3; },
  };
  for (const auto& wrong : wrongs) {
    numatch_start asked = of(child.pid());
    wrong(asked);
    EXPECT_EQ(device().start(asked), EINVAL);
  }
}

TEST(Module, refuses_processes_that_are_not_there_and_those_of_the_kernel) {
  EXPECT_EQ(device().start(of(0)), ESRCH);
  EXPECT_EQ(device().start(of(-1)), ESRCH);
  EXPECT_EQ(device().start(of(4'000'000)), ESRCH);
  EXPECT_EQ(device().start(of(2)), ESRCH);  // kthreadd
}

TEST(Module, has_one_session_for_a_process_and_one_process_for_a_session) {
  observed child;
  observed other;
  device first;
  device second;
  ASSERT_EQ(first.start(of(child.pid())), 0);
  EXPECT_EQ(first.start(of(other.pid())), EBUSY);
  EXPECT_EQ(second.start(of(child.pid())), EEXIST);
}

TEST(Module, may_be_started_again_after_it_has_refused) {
  observed child;
  device first;
  device second;
  ASSERT_EQ(first.start(of(child.pid())), 0);
  ASSERT_EQ(second.start(of(child.pid())), EEXIST);
  numatch_stats stats{};
  EXPECT_EQ(second.ask(NUMATCH_IOC_STATS, &stats), ENODATA);
  ASSERT_EQ(first.ask(NUMATCH_IOC_STOP, nullptr), 0);
  ASSERT_EQ(second.start(of(child.pid())), 0);
  wait_until([&] { return sees_all_pages(second, child); });
}

TEST(Module, does_not_take_the_end_of_its_session_for_the_end_of_the_process) {
  observed child;
  device at;
  ASSERT_EQ(at.start(of(child.pid())), 0);
  ASSERT_EQ(at.ask(NUMATCH_IOC_STOP, nullptr), 0);
  EXPECT_EQ(at.stats().process_ended, 0U);
}

/// What a parameter of the module says of what it holds.
int live(const std::string& what) {
  std::ifstream file("/sys/module/numatch/parameters/live_" + what);
  int held = -1;
  file >> held;
  return held;
}

TEST(Module, holds_nothing_after_a_session) {
  observed child;
  {
    device at;
    ASSERT_EQ(at.start(of(child.pid())), 0);
    EXPECT_EQ(live("sessions"), 1);
    EXPECT_GE(live("pages"), 4096);
  }
  EXPECT_EQ(live("sessions"), 0);
  EXPECT_EQ(live("pages"), 0);
  wait_until([] { return live("threads") == 0; });
}

TEST(Module, has_room_for_16_sessions) {
  std::vector<observed> children(17);
  std::vector<device> devices(17);
  for (std::size_t i = 0; i < 17; ++i) {
    numatch_start asked = of(children[i].pid());
    asked.views = asked.threads = 4;
    asked.table_pages = 16;
    EXPECT_EQ(devices[i].start(asked), i < 16 ? 0 : EUSERS);
  }
  // What was seen needs memory, too: until its file is closed.
  ASSERT_EQ(devices[0].ask(NUMATCH_IOC_STOP, nullptr), 0);
  EXPECT_EQ(devices[16].start(of(children[16].pid())), EUSERS);
}

TEST(Module, has_nothing_to_tell_before_the_start) {
  device at;
  numatch_stats stats{};
  numatch_trace trace{1, 0};
  numatch_zap zap{};
  zap.percent = 10;
  numatch_snapshot snapshot{};
  EXPECT_EQ(at.ask(NUMATCH_IOC_STATS, &stats), ENODATA);
  EXPECT_EQ(at.ask(NUMATCH_IOC_TRACE, &trace), ENODATA);
  EXPECT_EQ(at.ask(NUMATCH_IOC_ZAP, &zap), ENODATA);
  EXPECT_EQ(at.ask(NUMATCH_IOC_SNAPSHOT, &snapshot), ENODATA);
  EXPECT_EQ(at.ask(NUMATCH_IOC_STOP, nullptr), ENODATA);
  EXPECT_EQ(::mmap(nullptr, 8192, PROT_READ, MAP_SHARED, at.fd(), 0), MAP_FAILED);
  EXPECT_EQ(errno, ENODATA);
}

TEST(Module, refuses_calls_and_addresses_that_make_no_sense) {
  observed child;
  device at;
  EXPECT_EQ(at.ask(_IO('n', 0x10), nullptr), ENOTTY);
  EXPECT_EQ(at.ask(NUMATCH_IOC_START, nullptr), EFAULT);
  EXPECT_EQ(at.ask(NUMATCH_IOC_INFO, reinterpret_cast<void*>(-8)), EFAULT);
  ASSERT_EQ(at.start(of(child.pid())), 0);
  numatch_zap zap{};
  EXPECT_EQ(at.ask(NUMATCH_IOC_ZAP, &zap), EINVAL);
  zap.percent = 101;
  EXPECT_EQ(at.ask(NUMATCH_IOC_ZAP, &zap), EINVAL);
  numatch_trace trace{2, 0};
  EXPECT_EQ(at.ask(NUMATCH_IOC_TRACE, &trace), EINVAL);
  numatch_trace clears_without_on{0, 1};
  EXPECT_EQ(at.ask(NUMATCH_IOC_TRACE, &clears_without_on), EINVAL);
}

TEST(Module, refuses_a_process_with_a_local_descriptor_table) {
  observed child([] {
    // A segment of 32 bits that nobody uses (modify_ldt(2)).
    struct {
      unsigned entry, base, limit, flags;
    } segment{0, 0, 0xfffff, 0x51};
    ::syscall(SYS_modify_ldt, 1, &segment, sizeof segment);
  });
  device at;
  EXPECT_EQ(at.start(of(child.pid())), EOPNOTSUPP);
  EXPECT_NE(at.message.find("local descriptor table"), std::string::npos) << at.message;
}

TEST(Module, sees_all_pages_of_a_process_and_tells_them_after_the_stop_too) {
  observed child;
  device at;
  ASSERT_EQ(at.start(of(child.pid())), 0);
  wait_until([&] { return sees_all_pages(at, child); });
  ASSERT_EQ(at.ask(NUMATCH_IOC_STOP, nullptr), 0);
  EXPECT_TRUE(sees_all_pages(at, child));
  EXPECT_EQ(at.ask(NUMATCH_IOC_STOP, nullptr), ENODATA);
}

TEST(Module, says_how_much_room_a_snapshot_needs) {
  observed child;
  device at;
  ASSERT_EQ(at.start(of(child.pid())), 0);
  wait_until([&] { return sees_all_pages(at, child); });
  numatch_pair one{};
  numatch_snapshot asked{reinterpret_cast<__u64>(&one), 1, 0};
  EXPECT_EQ(at.ask(NUMATCH_IOC_SNAPSHOT, &asked), ENOSPC);
  EXPECT_GE(asked.count, __u64{observed::pages});
}

TEST(Module, sees_nothing_while_tracing_is_off_and_all_again_afterwards) {
  observed child;
  device at;
  ASSERT_EQ(at.start(of(child.pid())), 0);
  wait_until([&] { return sees_all_pages(at, child); });
  numatch_trace off{0, 0};
  ASSERT_EQ(at.ask(NUMATCH_IOC_TRACE, &off), 0);
  const __u64 opened = at.stats().opened;
  ::usleep(200'000);
  EXPECT_EQ(at.stats().opened, opened);
  numatch_trace on{1, 1};
  ASSERT_EQ(at.ask(NUMATCH_IOC_TRACE, &on), 0);
  wait_until([&] { return sees_all_pages(at, child); });
  EXPECT_GE(at.stats().opened, opened + observed::pages);
}

TEST(Module, counts_again_the_uses_of_entries_that_a_zap_has_closed) {
  observed child;
  device at;
  ASSERT_EQ(at.start(of(child.pid())), 0);
  wait_until([&] { return sees_all_pages(at, child); });
  numatch_zap zap{};
  zap.percent = 100;
  ASSERT_EQ(at.ask(NUMATCH_IOC_ZAP, &zap), 0);
  EXPECT_GE(zap.open, __u64{observed::pages});
  EXPECT_EQ(zap.closed, zap.open);
  wait_until([&] { return at.stats().reopened >= observed::pages; });
}

TEST(Module, keeps_the_share_of_zaps_in_one_view) {
  observed child;
  device at;
  numatch_start asked = of(child.pid());
  asked.mode = NUMATCH_SINGLE;
  asked.zap_share = 50;
  ASSERT_EQ(at.start(asked), 0);
  wait_until([&] { return at.stats().reopened >= observed::pages / 2; });
  const numatch_stats found = at.stats();
  EXPECT_LE(found.reopened * 2, found.opened + 1);
}

TEST(Module, a_full_ring_loses_uses_and_counts_them) {
  observed child;
  device at;
  numatch_start asked = of(child.pid());
  asked.ring_records = 16;
  ASSERT_EQ(at.start(asked), 0);
  const std::size_t bytes = 4096 + 16 * sizeof(numatch_use);
  EXPECT_EQ(::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, at.fd(), 0), MAP_FAILED);
  EXPECT_EQ(::mmap(nullptr, bytes + 8192, PROT_READ, MAP_SHARED, at.fd(), 0), MAP_FAILED);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, at.fd(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const ring = static_cast<numatch_ring*>(mapped);
  EXPECT_EQ(ring->records, 16U);
  pollfd waiting{at.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, -1), 1);
  wait_until([&] { return std::atomic_ref(ring->lost).load() > 0; });
  EXPECT_EQ(ring->head, 16U);
  EXPECT_EQ(at.stats().ring_lost > 0, true);
  const auto* const uses =
      reinterpret_cast<const numatch_use*>(static_cast<char*>(mapped) + ring->first_offset);
  for (int i = 1; i < 16; ++i) {
    EXPECT_EQ(uses[i].thread, child.pid());
    EXPECT_GE(uses[i].time, uses[i - 1].time);
  }
  // What the reader writes is not to be trusted.
  std::atomic_ref(ring->tail).store(~0ULL / 2);
  numatch_zap zap{};
  zap.percent = 100;
  const __u64 reopened = at.stats().reopened;
  ASSERT_EQ(at.ask(NUMATCH_IOC_ZAP, &zap), 0);
  wait_until([&] { return at.stats().reopened >= reopened + observed::pages; });
  ::munmap(mapped, bytes);
}

TEST(Module, ends_a_session_with_sleeping_threads_at_once) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::atomic<int> ready = 0;
  std::thread sleeper([&] {
    ++ready;
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  });
  {
    device at;
    ASSERT_EQ(at.start(of(::getpid())), 0);
    wait_until([&] { return ready == 1 && at.stats().linked >= 1; });
  }
  // And a new one begins while the old one's threads still sleep.
  device again;
  EXPECT_EQ(again.start(of(::getpid())), 0);
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  sleeper.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Module, notices_the_end_of_a_process) {
  device at;
  {
    observed child;
    ASSERT_EQ(at.start(of(child.pid())), 0);
    wait_until([&] { return sees_all_pages(at, child); });
  }
  wait_until([&] { return at.stats().process_ended == 1; });
  EXPECT_EQ(at.ask(NUMATCH_IOC_STOP, nullptr), 0);
}

/// Becomes user 1000 with these capabilities, runs `body` in a child and returns its exit code.
int as_user(unsigned capabilities_high, const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_KEEPCAPS, 1);
    if (::setresuid(1000, 1000, 1000) != 0) ::_exit(99);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    data[1].permitted = data[1].effective = capabilities_high;
    if (::syscall(SYS_capset, &header, data) != 0) ::_exit(98);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

constexpr unsigned perfmon = 1U << (CAP_PERFMON - 32);

TEST(Module, lets_in_only_who_has_the_right) {
  EXPECT_EQ(as_user(0, [] { return ::open(NUMATCH_DEVICE, O_RDWR) < 0 ? errno : 0; }), EPERM);
  EXPECT_EQ(as_user(perfmon, [] { return ::open(NUMATCH_DEVICE, O_RDWR) < 0 ? errno : 0; }), 0);
}

TEST(Module, shows_a_user_processes_of_the_same_user_only) {
  observed of_root;
  observed of_user([] {
    if (::setresuid(1000, 1000, 1000) != 0) ::_exit(1);
    ::prctl(PR_SET_DUMPABLE, 1);
  });
  EXPECT_EQ(as_user(perfmon, [&] { return device().start(of(of_root.pid())); }), EPERM);
  EXPECT_EQ(as_user(perfmon, [&] { return device().start(of(of_user.pid())); }), 0);
}

TEST(Module, nobody_reads_a_process_that_may_not_be_dumped) {
  observed secret([] {
    if (::setresuid(1000, 1000, 1000) != 0) ::_exit(1);
    ::prctl(PR_SET_DUMPABLE, 0);
  });
  EXPECT_EQ(as_user(perfmon, [&] { return device().start(of(secret.pid())); }), EPERM);
}

}  // namespace
