// SPDX-License-Identifier: Apache-2.0
#include "live/injection_child.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <type_traits>

namespace numatch::live {

namespace {

/// A program may notice when a thread is away for long; a stop that has lasted so long is the last
/// for this call.
constexpr std::uint64_t stop_budget = 250'000;  // nanoseconds
constexpr std::size_t scratch_bytes = 4096;

std::uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// struct sched_attr of the kernel (include/uapi/linux/sched/types.h), which the C library does not
/// have.
struct sched_attributes {
  std::uint32_t size = sizeof(sched_attributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

/// What child and parent share: the child writes, the parent reads when the child has ended.
struct report {
  injection_trouble trouble = injection_trouble::no_reply;
  int code = 0;
  unsigned stops = 0;
  std::uint64_t longest_stop = 0;
  std::size_t calls_made = 0;
};

/// A report in memory that survives the child.
class shared_report {
 public:
  explicit shared_report(std::size_t calls)
      : bytes_(sizeof(report) + calls * sizeof(long)),
        memory_(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ != MAP_FAILED) new (memory_) report();
  }
  shared_report(const shared_report&) = delete;
  shared_report& operator=(const shared_report&) = delete;
  ~shared_report() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
  }
  bool there() const { return memory_ != MAP_FAILED; }
  report& operator*() const { return *static_cast<report*>(memory_); }
  report* operator->() const { return static_cast<report*>(memory_); }
  /// As many as there are calls.
  long* answers() const { return reinterpret_cast<long*>(static_cast<report*>(memory_) + 1); }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// What runs in the child. Nothing here may allocate: the caller may have had other threads, one of
/// which held a lock when it forked.
class injecting_child {
 public:
  injecting_child(const injection_orders& orders, const shared_report& shared, int fd_goes_to)
      : orders_(orders), told_(*shared), answers_(shared.answers()), fd_goes_to_(fd_goes_to) {}

  void work() {
    isolate();
    while (told_.calls_made < orders_.calls.size()) {
      // Nobody waits any more; the calls that are not made yet need not be taken back either.
      if (told_.stops != 0 && ::getppid() != parent_) return;
      told_.trouble = one_stop();
      if (told_.trouble != injection_trouble::none) return;
    }
  }

 private:
  /// The caller's terminal and its signals are nothing to this process, but it ends when the first
  /// stop takes ten seconds: nothing was changed then, and the kernel detaches.
  void isolate() const {
    ::setsid();
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    ::signal(SIGALRM, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    hurry();
  }

  /// The stopped thread waits for us whenever we wait for a processor. Who may not hurry takes
  /// short turns, which come sooner (Linux 6.12).
  static void hurry() {
    const sched_param first{1};
    if (::sched_setscheduler(0, SCHED_FIFO, &first) == 0) return;
    ::setpriority(PRIO_PROCESS, 0, -20);
    constexpr std::uint64_t shortest_turn = 100'000;  // nanoseconds
    sched_attributes mine{};
    if (::syscall(SYS_sched_getattr, 0, &mine, sizeof mine, 0) != 0) return;
    mine.runtime = shortest_turn;
    ::syscall(SYS_sched_setattr, 0, &mine, 0);
  }

  static void limit_wait(time_t seconds) {
    const itimerval limit{{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_REAL, &limit, nullptr);
  }

  injection_trouble one_stop() {
    traced_task task(orders_.process, orders_.task);
    told_.trouble = injection_trouble::no_reply;
    limit_wait(10);
    injection_trouble trouble = task.stop(orders_.instruction, orders_.past_filter);
    limit_wait(0);
    const std::uint64_t start = now();
    told_.code = task.code();
    if (trouble == injection_trouble::gone || trouble == injection_trouble::not_permitted) {
      return trouble;
    }
    if (trouble == injection_trouble::none) trouble = make_calls(task, start);
    const injection_trouble at_the_end = task.let_go();
    ++told_.stops;
    told_.longest_stop = std::max(told_.longest_stop, now() - start);
    return trouble == injection_trouble::none ? at_the_end : trouble;
  }

  injection_trouble make_calls(traced_task& task, std::uint64_t start) {
    scratch_ = 0;
    injection_trouble trouble = injection_trouble::none;
    do {
      const remote_call& wanted = orders_.calls[told_.calls_made];
      long& answer = answers_[told_.calls_made];
      trouble = make_call(task, wanted, answer);
      if (trouble != injection_trouble::none) break;
      ++told_.calls_made;
      if (orders_.take_fd && answer >= 0) trouble = take(task, answer);
    } while (trouble == injection_trouble::none && told_.calls_made < orders_.calls.size() &&
             now() - start < stop_budget);
    if (scratch_ == 0) return trouble;
    long ignored = 0;
    const injection_trouble unmapping =
        task.call(SYS_munmap, {scratch_, scratch_bytes, 0, 0, 0, 0}, ignored);
    return trouble == injection_trouble::none ? unmapping : trouble;
  }

  injection_trouble make_call(traced_task& task, const remote_call& wanted, long& answer) {
    std::array<std::uint64_t, 6> arguments = wanted.arguments;
    if (!wanted.data.empty()) {
      injection_trouble trouble = scratch_ == 0 ? map_scratch(task) : injection_trouble::none;
      if (trouble == injection_trouble::none) {
        trouble = task.write(scratch_, wanted.data.data(),
                             std::min(wanted.data.size(), scratch_bytes / sizeof(std::uint64_t)));
      }
      if (trouble != injection_trouble::none) return trouble;
      arguments[wanted.data_at] = scratch_;
    }
    return task.call(wanted.number, arguments, answer);
  }

  /// Memory of our own for arguments: what lies below a stack pointer may be anything.
  injection_trouble map_scratch(traced_task& task) {
    long answer = 0;
    const injection_trouble trouble = task.call(SYS_mmap,
                                                {0, scratch_bytes, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, ~std::uint64_t{0}, 0},
                                                answer);
    if (trouble != injection_trouble::none) return trouble;
    if (answer < 0 && answer > -4096) {
      told_.code = static_cast<int>(-answer);
      return injection_trouble::no_scratch;
    }
    scratch_ = static_cast<std::uint64_t>(answer);
    return injection_trouble::none;
  }

  injection_trouble take(traced_task& task, long remote) {
    const int fd = static_cast<int>(::syscall(SYS_pidfd_getfd, orders_.pidfd, remote, 0));
    if (fd < 0) {
      told_.code = errno;
    } else {
      hand_over(fd);
    }
    long ignored = 0;
    return task.call(SYS_close, {static_cast<std::uint64_t>(remote), 0, 0, 0, 0, 0}, ignored);
  }

  void hand_over(int fd) const {
    char byte = 0;
    iovec content{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
    if (::sendmsg(fd_goes_to_, &message, MSG_NOSIGNAL) < 0) told_.code = errno;
  }

  const injection_orders& orders_;
  report& told_;
  long* answers_;
  int fd_goes_to_;
  pid_t parent_ = ::getppid();
  std::uint64_t scratch_ = 0;
};

/// -1: none came.
int receive_fd(int from) {
  char byte = 0;
  iovec content{&byte, 1};
  int fd = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(from, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const head = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head != nullptr) std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
  return fd;
}

}  // namespace

result<injection_reply> send_child(const injection_orders& orders) {
  const shared_report told(orders.calls.size());
  if (!told.there()) return fail("mmap", std::strerror(errno));
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail("socketpair", std::strerror(errno));
  }
  const owned_fd ours(ends[0]);
  owned_fd childs(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return fail("fork", std::strerror(errno));
  if (child == 0) {
    injecting_child(orders, told, childs.get()).work();
    ::_exit(0);
  }
  childs = owned_fd();
  injection_reply reply;
  // Ends with the child, which holds the other end.
  reply.fd = owned_fd(receive_fd(ours.get()));
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  reply.trouble = told->trouble;
  reply.code = told->code;
  reply.stops = told->stops;
  reply.longest_stop = told->longest_stop;
  reply.answers.assign(told.answers(), told.answers() + told->calls_made);
  return reply;
}

}  // namespace numatch::live
