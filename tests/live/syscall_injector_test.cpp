// SPDX-License-Identifier: Apache-2.0
#include "live/syscall_injector.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

#include "live/child_process.hpp"
#include "live/proc_text.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

const remote_call ask_pid{SYS_getpid, {}, {}, 0};

char state_of(pid_t pid) {
  return read_task_stat(pid, pid).value_or(task_stat{}).state;
}

/// Asks a child for its number by a call made in it; the answer is checked.
class asked_child {
 public:
  explicit asked_child(const child_process& child)
      : process_(observed_process::open(child.pid()).value()), injector_(process_) {}
  void ask() {
    const result<injection> done = injector_.run(std::span(&ask_pid, 1));
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_EQ(done->answers, std::vector<long>{process_.pid()});
    ASSERT_EQ(done->stops, 1U);
    ASSERT_GT(done->longest_stop, 0U);
  }
  void ask(int times) {
    for (int i = 0; i < times && !testing::Test::HasFatalFailure(); ++i) ask();
  }
  syscall_injector& injector() { return injector_; }

 private:
  observed_process process_;
  syscall_injector injector_;
};

struct flags {
  std::atomic<int> ready{0};
  std::atomic<int> stop{0};
  std::atomic<int> count{0};
};

/// Injects as long as the child waits in a call that has an end: were the call started anew with
/// its whole time each time, the child would never end.
void ask_until_it_ends(child_process& child) {
  wait_until([&child] { return state_of(child.pid()) == 'S'; });
  asked_child asked(child);
  int asked_times = 0;
  while (state_of(child.pid()) != 'Z') {
    if (!asked.injector().run(std::span(&ask_pid, 1))) break;
    ASSERT_LT(++asked_times, 200'000);
  }
  EXPECT_GT(asked_times, 0);
}

TEST(SyscallInjector, MakesCallsInAProgramThatComputes) {
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    shared->ready = 1;
    std::uint64_t sum = 0;
    std::uint64_t steps = 0;
    while (shared->stop == 0) {
      sum += ++steps;
      if (steps % 100'000 == 0) ::sched_yield();
    }
    // Both are modulo 2^64.
    const std::uint64_t expected =
        steps % 2 == 0 ? steps / 2 * (steps + 1) : (steps + 1) / 2 * steps;
    return sum == expected ? 0 : 1;
  });
  wait_until([&shared] { return shared->ready == 1; });
  asked_child(child).ask(100);
  shared->stop = 1;
  EXPECT_EQ(child.wait(), 0);
}

/// Holds a pattern in every register that a program may use until it is told to stop, and counts
/// those that changed.
int registers_changed(std::atomic<int>* stop) {
  std::uint64_t changed = 0;
  asm volatile(
      "push %%rbp\n\t push %%rbx\n\t"
      "mov $0x1111, %%rax\n\t mov $0x2222, %%rbx\n\t mov $0x3333, %%rcx\n\t"
      "mov $0x4444, %%rdx\n\t mov $0x5555, %%rsi\n\t mov $0x6666, %%rbp\n\t"
      "mov $0x8888, %%r8\n\t mov $0x9999, %%r9\n\t mov $0xaaaa, %%r10\n\t"
      "mov $0xbbbb, %%r11\n\t mov $0xcccc, %%r12\n\t mov $0xdddd, %%r13\n\t"
      "mov $0xeeee, %%r14\n\t movq %%r14, %%xmm7\n\t xor %%r15, %%r15\n\t"
      "1: pause\n\t cmpl $0, (%%rdi)\n\t je 1b\n\t"
      "cmp $0x1111, %%rax\n\t setne %%r15b\n\t"
      "xor $0x2222, %%rbx\n\t or %%rbx, %%r15\n\t xor $0x3333, %%rcx\n\t or %%rcx, %%r15\n\t"
      "xor $0x4444, %%rdx\n\t or %%rdx, %%r15\n\t xor $0x5555, %%rsi\n\t or %%rsi, %%r15\n\t"
      "xor $0x6666, %%rbp\n\t or %%rbp, %%r15\n\t xor $0x8888, %%r8\n\t or %%r8, %%r15\n\t"
      "xor $0x9999, %%r9\n\t or %%r9, %%r15\n\t xor $0xaaaa, %%r10\n\t or %%r10, %%r15\n\t"
      "xor $0xbbbb, %%r11\n\t or %%r11, %%r15\n\t xor $0xcccc, %%r12\n\t or %%r12, %%r15\n\t"
      "xor $0xdddd, %%r13\n\t or %%r13, %%r15\n\t movq %%xmm7, %%rax\n\t"
      "xor $0xeeee, %%r14\n\t or %%r14, %%r15\n\t xor $0xeeee, %%rax\n\t or %%rax, %%r15\n\t"
      "mov %%r15, %%rax\n\t pop %%rbx\n\t pop %%rbp\n\t"
      : "=a"(changed), "+D"(stop)
      :
      : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm7", "cc",
        "memory");
  return changed == 0 ? 0 : 1;
}

TEST(SyscallInjector, EveryRegisterIsAsBefore) {
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    shared->ready = 1;
    return registers_changed(&shared->stop);
  });
  wait_until([&shared] { return shared->ready == 1; });
  asked_child(child).ask(100);
  shared->stop = 1;
  EXPECT_EQ(child.wait(), 0);
}

/// Waits in a restartable sequence (rseq(2)) until it is told to stop. 0: told to; 1: the kernel or
/// whoever stopped the thread has aborted it, as it must; 2: the thread went on in it although the
/// kernel had forgotten it.
int wait_in_restartable_sequence(std::atomic<int>* stop, std::uint64_t* section) {
  int outcome = 0;
  asm volatile(
      ".pushsection .data, \"aw\"\n\t .balign 32\n\t"
      "10: .long 0, 0\n\t .quad 1f, 4f - 1f, 6f\n\t .popsection\n\t"
      "lea 10b(%%rip), %%rax\n\t mov %%rax, (%[section])\n\t"
      "1: cmpl $0, (%[stop])\n\t jne 2f\n\t"
      "cmpq $0, (%[section])\n\t je 3f\n\t jmp 1b\n\t"
      "2: mov $0, %[outcome]\n\t jmp 4f\n\t"
      "3: mov $2, %[outcome]\n\t"
      "4: jmp 7f\n\t"
      // The kernel wants to see the signature that glibc has registered before the abort handler.
      ".byte 0x0f, 0xb9, 0x3d\n\t .long 0x53053053\n\t"
      "6: mov $1, %[outcome]\n\t"
      "7: movq $0, (%[section])\n\t"
      : [outcome] "=&r"(outcome)
      : [stop] "r"(stop), [section] "r"(section)
      : "rax", "memory", "cc");
  return outcome;
}

TEST(SyscallInjector, ARestartableSequenceIsAborted) {
  if (__rseq_size == 0) GTEST_SKIP() << "the C library has not registered one";
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    char* const area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
    std::uint64_t* const section = reinterpret_cast<std::uint64_t*>(area + 8);
    shared->ready = 1;
    for (;;) {
      const int outcome = wait_in_restartable_sequence(&shared->stop, section);
      if (outcome != 1) return outcome;
      ++shared->count;
    }
  });
  wait_until([&shared] { return shared->ready == 1; });
  asked_child(child).ask(50);
  EXPECT_GE(shared->count, 50);
  shared->stop = 1;
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, ASleepLastsAsLongAsItShould) {
  child_process child([] {
    timespec before{};
    timespec after{};
    const timespec nap{0, 200'000'000};
    ::clock_gettime(CLOCK_MONOTONIC, &before);
    const int slept = ::nanosleep(&nap, nullptr);
    ::clock_gettime(CLOCK_MONOTONIC, &after);
    const long nanoseconds =
        (after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec;
    return slept == 0 && nanoseconds >= nap.tv_nsec ? 0 : 1;
  });
  ask_until_it_ends(child);
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, AWaitForAFutexEndsWithItsTime) {
  child_process child([] {
    std::uint32_t word = 0;
    const timespec limit{0, 200'000'000};
    const long answer = ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, nullptr, 0);
    return answer == -1 && errno == ETIMEDOUT ? 0 : 1;
  });
  ask_until_it_ends(child);
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, APollEndsWithItsTime) {
  child_process child([] { return ::poll(nullptr, 0, 200) == 0 ? 0 : 1; });
  ask_until_it_ends(child);
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, AReaderOfAPipeLosesNoByteAndSeesNoError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  child_process child([&ends] {
    ::close(ends[1]);
    for (unsigned expected = 0;; ++expected) {
      unsigned char byte = 0;
      const ssize_t got = ::read(ends[0], &byte, 1);
      if (got == 0) return expected == 1000 ? 0 : 2;
      if (got != 1 || byte != expected % 251) return 1;
    }
  });
  ::close(ends[0]);
  asked_child asked(child);
  for (unsigned i = 0; i < 1000; ++i) {
    if (i % 3 == 0) asked.ask();
    const unsigned char byte = static_cast<unsigned char>(i % 251);
    ASSERT_EQ(::write(ends[1], &byte, 1), 1);
  }
  ::close(ends[1]);
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, AWaitForEventsIsNotInterrupted) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  child_process child([&ends] {
    const int events = ::epoll_create1(0);
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    ::epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &wanted);
    return ::epoll_wait(events, &wanted, 1, -1) == 1 ? 0 : 1;
  });
  wait_until([&child] { return state_of(child.pid()) == 'S'; });
  asked_child(child).ask(100);
  char state = 0;
  wait_until([&] {
    state = state_of(child.pid());
    return state == 'S' || state == 'Z';
  });
  EXPECT_EQ(state, 'S');
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_EQ(child.wait(), 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(SyscallInjector, AWaitForASignalIsNotInterrupted) {
  child_process child([] {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    const timespec limit{1000, 0};
    return ::sigtimedwait(&wanted, nullptr, &limit) == SIGUSR1 ? 0 : 1;
  });
  wait_until([&child] { return state_of(child.pid()) == 'S'; });
  asked_child(child).ask(100);
  child.kill(SIGUSR1);
  EXPECT_EQ(child.wait(), 0);
}

/// What the handlers below count; in memory that the test sees.
flags* counted = nullptr;

TEST(SyscallInjector, NoSignalIsLostOrSeenTwice) {
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    counted = &*shared;
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      // Queued signals come in the order in which they were sent.
      if (info->si_value.sival_int == counted->count) ++counted->count;
    };
    ::sigaction(SIGRTMIN, &action, nullptr);
    shared->ready = 1;
    std::uint64_t steps = 0;
    while (shared->stop == 0) {
      if (++steps % 10'000 == 0) ::usleep(20);
    }
    return steps != 0 ? 0 : 1;
  });
  wait_until([&shared] { return shared->ready == 1; });
  asked_child asked(child);
  constexpr int signals = 1000;
  for (int i = 0; i < signals; ++i) {
    sigval value{};
    value.sival_int = i;
    ASSERT_EQ(::sigqueue(child.pid(), SIGRTMIN, value), 0);
    asked.ask();
  }
  wait_until([&shared] { return shared->count == signals; });
  shared->stop = 1;
  EXPECT_EQ(child.wait(), 0);
}

/// A call that a signal ends must end when the signal comes while the thread is stopped for us.
TEST(SyscallInjector, ASignalStillEndsTheCallThatWaitsForIt) {
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    counted = &*shared;
    struct sigaction action{};
    action.sa_handler = [](int) { ++counted->count; };
    ::sigaction(SIGUSR1, &action, nullptr);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    sigemptyset(&set);
    shared->stop = 1;  // from here on signals wait
    for (int i = 1; i <= 300; ++i) {
      if (::sigsuspend(&set) != -1 || errno != EINTR || shared->count != i) return 1;
      shared->ready = i;
    }
    return 0;
  });
  wait_until([&shared] { return shared->stop == 1; });
  asked_child asked(child);
  std::atomic<bool> over{false};
  std::atomic<int> times{0};
  std::thread asking([&asked, &over, &times] {
    while (!over && asked.injector().run(std::span(&ask_pid, 1))) ++times;
    times = 1'000'000;
  });
  for (int i = 1; i <= 300; ++i) {
    const int before = times;
    child.kill(SIGUSR1);
    wait_until([&times, &child, before] { return times > before || state_of(child.pid()) == 'Z'; });
    wait_until([&shared, &child, i] { return shared->ready == i || state_of(child.pid()) == 'Z'; });
  }
  over = true;
  asking.join();
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, AStoppedProgramStaysStopped) {
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    shared->ready = 1;
    while (shared->stop == 0) ++shared->count;
    return 0;
  });
  wait_until([&shared] { return shared->ready == 1; });
  child.kill(SIGSTOP);
  wait_until([&child] { return state_of(child.pid()) == 'T'; });
  const int count = shared->count;
  asked_child(child).ask(50);
  wait_until([&child] { return state_of(child.pid()) == 'T'; });
  EXPECT_EQ(shared->count, count);
  child.kill(SIGCONT);
  wait_until([&shared, count] { return shared->count != count; });
  shared->stop = 1;
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, AProgramMayBeStoppedAndContinuedMeanwhile) {
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    shared->ready = 1;
    while (shared->stop == 0) ++shared->count;
    return 0;
  });
  wait_until([&shared] { return shared->ready == 1; });
  std::atomic<bool> over{false};
  std::thread asking([&child, &over] {
    asked_child asked(child);
    while (!over) asked.ask();
  });
  for (int i = 0; i < 100; ++i) {
    child.kill(SIGSTOP);
    wait_until([&child] { return state_of(child.pid()) != 'R'; });
    child.kill(SIGCONT);
  }
  over = true;
  asking.join();
  child.kill(SIGCONT);
  shared->stop = 1;
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, AProgramMayEndMeanwhile) {
  for (int round = 0; round < 30; ++round) {
    const shared_with_child<flags> shared;
    child_process child([&shared] {
      shared->ready = 1;
      for (;;) ++shared->count;
      return 0;
    });
    wait_until([&shared] { return shared->ready == 1; });
    asked_child asked(child);
    std::thread killer([&child, round] {
      ::usleep(static_cast<useconds_t>(50 * round));
      child.kill(SIGKILL);
    });
    for (;;) {
      const result<injection> done = asked.injector().run(std::span(&ask_pid, 1));
      if (done) continue;
      EXPECT_TRUE(contains(done.error().message(), fmt::format("process {}", child.pid())));
      break;
    }
    killer.join();
    // Its end is for its parent to see, as always.
    EXPECT_EQ(child.wait(), 128 + SIGKILL);
  }
}

TEST(SyscallInjector, ManyCallsAreSpreadOverStops) {
  child_process child([] {
    for (;;) ::pause();
    return 0;
  });
  asked_child asked(child);
  const std::vector<remote_call> calls(2000, ask_pid);
  const result<injection> done = asked.injector().run(calls);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->answers, std::vector<long>(2000, child.pid()));
  EXPECT_GT(done->stops, 1U);
  EXPECT_TRUE(asked.injector().run({})->answers.empty());
}

TEST(SyscallInjector, ACallMayHaveDataThatLeavesNothingBehind) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  child_process child([] {
    for (;;) ::pause();
    return 0;
  });
  const std::string maps = read_proc(fmt::format("/proc/{}/maps", child.pid())).value();
  asked_child asked(child);
  remote_call write{SYS_write, {static_cast<std::uint64_t>(ends[1]), 0, 16}, {}, 1};
  write.data = {0x1122334455667788, 42};
  const result<injection> done = asked.injector().run(std::span(&write, 1));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->answers, std::vector<long>{16});
  std::array<std::uint64_t, 2> read{};
  ASSERT_EQ(::read(ends[0], read.data(), sizeof read), 16);
  EXPECT_EQ(read[0], 0x1122334455667788U);
  EXPECT_EQ(read[1], 42U);
  EXPECT_EQ(read_proc(fmt::format("/proc/{}/maps", child.pid())).value(), maps);
  ::close(ends[0]);
  ::close(ends[1]);
}

std::size_t open_files(pid_t pid) {
  std::size_t count = 0;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid))) {
    count += entry.path().empty() ? 0 : 1;
  }
  return count;
}

TEST(SyscallInjector, TakesAFileDescriptorThatTheProgramDoesNotKeep) {
  child_process child([] {
    for (;;) ::pause();
    return 0;
  });
  const std::size_t before = open_files(child.pid());
  asked_child asked(child);
  remote_call create{SYS_memfd_create, {0, 0}, {}, 0};
  create.data = {0x656e6f};  // "one"
  const result<taken_fd> taken = asked.injector().take(create);
  ASSERT_TRUE(taken) << taken.error().message();
  EXPECT_EQ(::ftruncate(taken->fd.get(), 4096), 0);
  EXPECT_EQ(open_files(child.pid()), before);
}

TEST(SyscallInjector, ADescriptorThatCannotBeMadeIsAnError) {
  child_process child([] {
    for (;;) ::pause();
    return 0;
  });
  asked_child asked(child);
  const result<taken_fd> taken =
      asked.injector().take(remote_call{SYS_epoll_create1, {12345}, {}, 0});
  ASSERT_FALSE(taken);
  EXPECT_TRUE(contains(taken.error().message(), "Invalid argument"));
}

TEST(SyscallInjector, ATracedProgramIsAnErrorThatNamesTheTracer) {
  child_process child([] {
    for (;;) ::pause();
    return 0;
  });
  const shared_with_child<flags> shared;
  const child_process tracer([&shared, &child] {
    if (::ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr) != 0) return 1;
    shared->ready = 1;
    for (;;) ::pause();
    return 0;
  });
  wait_until([&shared] { return shared->ready == 1; });
  asked_child asked(child);
  const result<injection> done = asked.injector().run(std::span(&ask_pid, 1));
  ASSERT_FALSE(done);
  EXPECT_TRUE(
      contains(done.error().message(), fmt::format("is traced by process {}", tracer.pid())));
}

/// Ends the program at its next getpid().
void forbid_getpid() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

TEST(SyscallInjector, AFilterOfSystemCallsDoesNotEndTheProgram) {
  const shared_with_child<flags> shared;
  child_process child([&shared] {
    forbid_getpid();
    shared->ready = 1;
    while (shared->stop == 0) ::usleep(1000);
    return 0;
  });
  wait_until([&shared] { return shared->ready == 1; });
  asked_child asked(child);
  const result<injection> done = asked.injector().run(std::span(&ask_pid, 1));
  // Only who may administer the system gets past a filter.
  if (done) {
    EXPECT_EQ(done->answers, std::vector<long>{child.pid()});
  } else {
    EXPECT_TRUE(contains(done.error().message(), "filters its system calls"));
  }
  shared->stop = 1;
  EXPECT_EQ(child.wait(), 0);
}

TEST(SyscallInjector, AnOrdinaryUserMayUseItOnItsOwnProgramsButNotPastAFilter) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  child_process user([] {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 2;
    ::prctl(PR_SET_DUMPABLE, 1);  // else the change of user forbids tracing
    const shared_with_child<flags> shared;
    const child_process plain([] {
      for (;;) ::pause();
      return 0;
    });
    const child_process filtered([&shared] {
      forbid_getpid();
      shared->ready = 1;
      for (;;) ::pause();
      return 0;
    });
    wait_until([&shared] { return shared->ready == 1; });
    asked_child to_plain(plain);
    asked_child to_filtered(filtered);
    const result<injection> good = to_plain.injector().run(std::span(&ask_pid, 1));
    const result<injection> bad = to_filtered.injector().run(std::span(&ask_pid, 1));
    if (!good || good->answers != std::vector<long>{plain.pid()}) return 3;
    return !bad && contains(bad.error().message(), "seccomp") ? 0 : 1;
  });
  EXPECT_EQ(user.wait(), 0);
}

}  // namespace
}  // namespace numatch::live
