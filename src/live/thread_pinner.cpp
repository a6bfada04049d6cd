// SPDX-License-Identifier: Apache-2.0
#include "live/thread_pinner.hpp"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace numatch::live {

namespace {

void go_on(pid_t task, int signal) {
  // The C library wants the signal as a pointer; the kernel takes the number.
  ::syscall(SYS_ptrace, PTRACE_CONT, task, 0L, static_cast<long>(signal));
}

bool is_job_control_stop(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

pid_t event_message(pid_t task) {
  unsigned long message = 0;
  ::ptrace(PTRACE_GETEVENTMSG, task, nullptr, &message);
  return static_cast<pid_t>(message);
}

}  // namespace

long thread_pinner::options() {
  return PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
}

void thread_pinner::stopped(pid_t task, int status) {
  const int event = status >> 16;
  const int signal = WSTOPSIG(status);
  switch (event) {
    case PTRACE_EVENT_CLONE:
      created(event_message(task), true);
      return go_on(task, 0);
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      created(event_message(task), false);
      return go_on(task, 0);
    case PTRACE_EVENT_EXEC:
      started_new_program(task);
      return go_on(task, 0);
    case PTRACE_EVENT_STOP:
      break;
    default:
      return go_on(task, signal);
  }
  // ^Z stops the program as it would without us.
  if (is_job_control_stop(signal)) {
    ::ptrace(PTRACE_LISTEN, task, nullptr, nullptr);
  } else if (children_.contains(task)) {
    children_.erase(task);
    let_go(task);
  } else if (known_.contains(task)) {
    go_on(task, 0);
  } else {
    early_.insert(task);
  }
}

/// The kernel stops a new task before its first instruction; its creator's report can come first.
void thread_pinner::created(pid_t task, bool may_be_thread) {
  const bool waits = early_.erase(task) != 0;
  const bool is_thread = may_be_thread && ::syscall(SYS_tgkill, program_, task, 0) == 0;
  if (!is_thread && waits) return let_go(task);
  if (!is_thread) {
    children_.insert(task);
    return;
  }
  known_.insert(task);
  ++threads_;
  pin_next(task);
  if (waits) go_on(task, 0);
}

/// exec ends all threads but one, which is now the first of another program.
void thread_pinner::started_new_program(pid_t task) {
  known_ = {task};
  threads_ = 1;
  pin_next(task);
}

/// Places thread number threads_ - 1. A new thread inherits the place of its creator, so one beyond
/// the mapping must be set free.
void thread_pinner::pin_next(pid_t task) {
  const std::size_t number = threads_ - 1;
  const bool has_place =
      number < plan_.cpu_of_thread.size() && plan_.cpu_of_thread[number].has_value();
  const bool done = has_place ? cpu_mask::of_cpu(*plan_.cpu_of_thread[number]).apply_to(task)
                              : plan_.allowed.apply_to(task);
  if (!done && ::syscall(SYS_tgkill, program_, task, 0) == 0) ++refused_;
}

void thread_pinner::let_go(pid_t child) const {
  plan_.allowed.apply_to(child);
  ::ptrace(PTRACE_DETACH, child, nullptr, nullptr);
}

}  // namespace numatch::live
