// SPDX-License-Identifier: Apache-2.0
#include "live/pinned_run.hpp"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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
};

start_orders orders_for(std::vector<std::string>& command, const pin_plan& plan) {
  start_orders orders;
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
  ::execvp(orders.argv[0], orders.argv.data());
  const int code = errno;
  if (::write(answer, &code, sizeof code) < 0) ::_exit(126);
  ::_exit(127);
}

/// Handles every report that is there. The program's status once it has ended.
std::optional<int> take_reports(pid_t program, thread_pinner& pinner) {
  for (;;) {
    int status = 0;
    const pid_t task = ::waitpid(-1, &status, WNOHANG | __WALL);
    if (task == 0 || (task < 0 && errno != EINTR)) return std::nullopt;
    if (task < 0) continue;
    if (WIFSTOPPED(status)) {
      pinner.stopped(task, status);
    } else if (task == program) {
      return status;
    } else {
      pinner.ended(task);
    }
  }
}

int follow(pid_t program, thread_pinner& pinner) {
  const sigset_t set = watched_signals();
  for (;;) {
    if (const std::optional<int> status = take_reports(program, pinner); status) return *status;
    siginfo_t arrived{};
    const int signal = ::sigwaitinfo(&set, &arrived);
    if (signal > 0 && signal != SIGCHLD) pass_on(arrived, program);
  }
}

tl::unexpected<error> system_failure(const char* call, int code) {
  return fail(call, std::strerror(code));
}

}  // namespace

result<pinned_outcome> run_pinned(const std::vector<std::string>& command, const pin_plan& plan) {
  std::vector<std::string> words = command;
  const start_orders orders = orders_for(words, plan);
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
  go.close_write();
  thread_pinner pinner(plan, program);
  const int status = follow(program, pinner);
  int code = 0;
  if (::read(answer.read_end(), &code, sizeof code) == sizeof code) {
    return fail(command.front(), fmt::format("cannot be started: {}", std::strerror(code)));
  }
  pinned_outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.threads = pinner.threads();
  outcome.refused = pinner.refused();
  return outcome;
}

}  // namespace numatch::live
