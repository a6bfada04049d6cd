// SPDX-License-Identifier: Apache-2.0
#include "live/pinned_run.hpp"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>

#include "base/passed_signals.hpp"
#include "live/thread_pinner.hpp"

namespace numatch::live {

namespace {

class pipe_ends {
 public:
  bool open() { return ::pipe2(ends_, O_CLOEXEC) == 0; }
  ~pipe_ends() {
    close_read();
    close_write();
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close_one(ends_[0]); }
  void close_write() { close_one(ends_[1]); }

 private:
  static void close_one(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  int ends_[2] = {-1, -1};
};

/// What the child has to do before exec, prepared before fork: no allocation afterwards.
struct start_orders {
  std::vector<char*> argv;
  cpu_mask first_place;
  std::vector<unsigned long> node_words;
  int standard[3] = {-1, -1, -1};  ///< descriptors that become 0, 1, 2
};

start_orders orders_for(std::vector<std::string>& command, const pin_plan& plan,
                        const start_wishes& wishes) {
  start_orders orders;
  orders.standard[0] = wishes.input;
  orders.standard[1] = wishes.output;
  orders.standard[2] = wishes.errors;
  for (std::string& word : command) orders.argv.push_back(word.data());
  orders.argv.push_back(nullptr);
  const bool pinned = !plan.cpu_of_thread.empty() && plan.cpu_of_thread.front().has_value();
  orders.first_place = pinned ? cpu_mask::of_cpu(*plan.cpu_of_thread.front()) : plan.allowed;
  constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
  for (const unsigned node : plan.interleave_nodes) {
    orders.node_words.resize(std::max(orders.node_words.size(), node / word_bits + 1), 0);
    orders.node_words[node / word_bits] |= 1UL << (node % word_bits);
  }
  return orders;
}

/// Waits until it is traced, takes its place and its page policy, and becomes the program.
[[noreturn]] void become_program(const start_orders& orders, int go, int answer) {
  char ignored = 0;
  while (::read(go, &ignored, 1) < 0 && errno == EINTR) {
  }
  orders.first_place.apply_to(0);
  if (!orders.node_words.empty()) {
    ::syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, orders.node_words.data(),
              orders.node_words.size() * sizeof(unsigned long) * CHAR_BIT + 1);
  }
  for (int place = 0; place < 3; ++place) {
    if (orders.standard[place] >= 0) ::dup2(orders.standard[place], place);
  }
  ::execvp(orders.argv[0], orders.argv.data());
  const int code = errno;
  if (::write(answer, &code, sizeof code) < 0) ::_exit(126);
  ::_exit(127);
}

/// How the program ended and what it used.
struct program_end {
  int status = 0;
  rusage used{};
};

/// Handles every report that is there. The program's end once it has come.
std::optional<program_end> take_reports(pid_t program, thread_pinner& pinner) {
  for (;;) {
    int status = 0;
    rusage used{};
    const pid_t task = ::wait4(-1, &status, WNOHANG | __WALL, &used);
    if (task == 0 || (task < 0 && errno != EINTR)) return std::nullopt;
    if (task < 0) continue;
    if (WIFSTOPPED(status)) {
      pinner.stopped(task, status);
    } else if (task == program) {
      return program_end{status, used};
    } else {
      pinner.ended(task);
    }
  }
}

program_end follow(pid_t program, thread_pinner& pinner) {
  const sigset_t set = watched_signals();
  for (;;) {
    if (const std::optional<program_end> end = take_reports(program, pinner); end) return *end;
    siginfo_t arrived{};
    const int signal = ::sigwaitinfo(&set, &arrived);
    if (signal > 0 && signal != SIGCHLD) pass_on(arrived, program);
  }
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

tl::unexpected<error> system_failure(const char* call, int code) {
  return fail(call, std::strerror(code));
}

}  // namespace

result<pinned_outcome> run_pinned(const std::vector<std::string>& command, const pin_plan& plan,
                                  const start_wishes& wishes) {
  std::vector<std::string> words = command;
  const start_orders orders = orders_for(words, plan, wishes);
  pipe_ends go;
  pipe_ends answer;
  if (!go.open() || !answer.open()) return system_failure("pipe", errno);
  const signals_held held;
  const pid_t program = ::fork();
  if (program < 0) return system_failure("fork", errno);
  if (program == 0) {
    held.restore();
    // Else the child itself would keep the pipe open that it waits on.
    go.close_write();
    become_program(orders, go.read_end(), answer.write_end());
  }
  answer.close_write();
  if (::syscall(SYS_ptrace, PTRACE_SEIZE, program, 0L, thread_pinner::options()) != 0) {
    const int code = errno;
    ::kill(program, SIGKILL);
    ::waitpid(program, nullptr, 0);
    return fail("exec", fmt::format("cannot follow the program's threads: {}", std::strerror(code)),
                "this system forbids ptrace; use the OMP_PLACES or taskset line of `numatch map`");
  }
  if (wishes.before_begin) wishes.before_begin(program);
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  go.close_write();
  thread_pinner pinner(plan, program);
  const program_end end = follow(program, pinner);
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
  int code = 0;
  if (::read(answer.read_end(), &code, sizeof code) == sizeof code) {
    return fail(command.front(), fmt::format("cannot be started: {}", std::strerror(code)));
  }
  pinned_outcome outcome;
  if (WIFSIGNALED(end.status)) outcome.signal = WTERMSIG(end.status);
  outcome.exit_code = outcome.signal == 0 ? WEXITSTATUS(end.status) : 128 + outcome.signal;
  outcome.seconds = lasted.count();
  outcome.cpu_seconds = seconds_of(end.used.ru_utime) + seconds_of(end.used.ru_stime);
  outcome.minor_faults = static_cast<std::uint64_t>(end.used.ru_minflt);
  outcome.major_faults = static_cast<std::uint64_t>(end.used.ru_majflt);
  outcome.threads = pinner.threads();
  outcome.refused = pinner.refused();
  return outcome;
}

}  // namespace numatch::live
