// SPDX-License-Identifier: Apache-2.0
#include "live/traced_task.hpp"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "live/new_kernel.hpp"

namespace numatch::live {

namespace {

constexpr std::uint64_t code_segment_64 = 0x33;
constexpr std::uint64_t no_system_call = ~std::uint64_t{0};
// What the kernel keeps in rax of an interrupted system call (include/linux/errno.h).
constexpr std::uint64_t restart_unless_handled = ~std::uint64_t{514} + 1;
constexpr std::uint64_t interrupted = ~std::uint64_t{EINTR} + 1;

/// Calls that end with EINTR after any wake-up, where others are restarted by the kernel, and that
/// have done nothing yet when they do (signal(7), "Interruption of system calls and library
/// functions by stop signals").
bool may_be_made_again(std::uint64_t number) {
  const std::initializer_list<std::uint64_t> calls = {
      SYS_epoll_wait, SYS_epoll_pwait,     SYS_epoll_pwait2, SYS_semop,
      SYS_semtimedop, SYS_rt_sigtimedwait, SYS_io_getevents, SYS_io_uring_enter,
      SYS_read,       SYS_recvfrom,        SYS_recvmsg,      SYS_recvmmsg,
      SYS_accept,     SYS_accept4,         SYS_sendto,       SYS_sendmsg};
  return std::find(calls.begin(), calls.end(), number) != calls.end();
}

/// Head of what the kernel expects in a task's rseq area (include/uapi/linux/rseq.h).
struct critical_section {
  std::uint64_t version_and_flags;
  std::uint64_t start;
  std::uint64_t length;
  std::uint64_t abort;
};

}  // namespace

/// ptrace(2) of the kernel itself: it takes requests that the C library has no name for.
bool traced_task::request(int what, std::uint64_t address, std::uint64_t data) {
  if (::syscall(SYS_ptrace, what, task_, address, data) >= 0) return true;
  code_ = errno;
  return false;
}

injection_trouble traced_task::failed() {
  return code_ == ESRCH ? injection_trouble::gone : injection_trouble::system;
}

traced_task::stop_kind traced_task::wait() {
  for (;;) {
    int status = 0;
    if (::waitpid(task_, &status, __WALL) != task_) {
      if (errno == EINTR) continue;
      return stop_kind::ended;
    }
    if (!WIFSTOPPED(status)) return stop_kind::ended;
    signal_ = WSTOPSIG(status);
    if (status >> 16 == PTRACE_EVENT_STOP) return stop_kind::interrupt;
    if (signal_ == (SIGTRAP | 0x80)) return stop_kind::system_call;
    return stop_kind::signal;
  }
}

injection_trouble traced_task::stop(std::uint64_t instruction, bool past_filter) {
  const std::uint64_t options =
      PTRACE_O_TRACESYSGOOD | (past_filter ? PTRACE_O_SUSPEND_SECCOMP : 0);
  if (!request(PTRACE_SEIZE, 0, options)) {
    return code_ == EPERM ? injection_trouble::not_permitted : failed();
  }
  if (!request(PTRACE_INTERRUPT, 0, 0)) return failed();
  for (;;) {
    const stop_kind kind = wait();
    if (kind == stop_kind::ended) return injection_trouble::gone;
    if (kind == stop_kind::interrupt) break;
    // A signal was on its way: it is delivered first, and the task stops before the first
    // instruction of the handler. The stop for the signal used up our interrupt.
    if (!request(PTRACE_INTERRUPT, 0, 0)) return failed();
    if (!request(PTRACE_CONT, 0, static_cast<std::uint64_t>(signal_))) return failed();
  }
  return check_program(instruction);
}

injection_trouble traced_task::check_program(std::uint64_t instruction) {
  if (!request(PTRACE_GETREGS, 0, reinterpret_cast<std::uint64_t>(&registers_))) return failed();
  if (!request(PTRACE_GETSIGMASK, sizeof mask_, reinterpret_cast<std::uint64_t>(&mask_))) {
    return failed();
  }
  if (registers_.cs != code_segment_64) return injection_trouble::other_bits;
  syscall_dispatch_config dispatch{};
  if (request(ptrace_get_syscall_user_dispatch_config, sizeof dispatch,
              reinterpret_cast<std::uint64_t>(&dispatch)) &&
      dispatch.mode != 0) {
    return injection_trouble::calls_dispatched;
  }
  std::uint64_t code = 0;
  constexpr std::uint64_t syscall_bytes = 0x050f;
  if (!request(PTRACE_PEEKTEXT, instruction, reinterpret_cast<std::uint64_t>(&code)) ||
      (code & 0xffff) != syscall_bytes) {
    return injection_trouble::no_instruction;
  }
  instruction_ = instruction;
  leave_restartable_sequence();
  make_interrupted_call_restart();
  fit_ = true;
  return injection_trouble::none;
}

/// The kernel aborts a critical section of rseq(2) when its task is preempted. It looks where the
/// task is on the way to user space, which for us is elsewhere; so the section is aborted here.
void traced_task::leave_restartable_sequence() {
  __ptrace_rseq_configuration area{};
  if (!request(PTRACE_GET_RSEQ_CONFIGURATION, sizeof area,
               reinterpret_cast<std::uint64_t>(&area)) ||
      area.rseq_abi_pointer == 0) {
    return;
  }
  constexpr std::uint64_t section_offset = 8;
  const std::uint64_t pointer = area.rseq_abi_pointer + section_offset;
  std::uint64_t where = 0;
  if (!request(PTRACE_PEEKDATA, pointer, reinterpret_cast<std::uint64_t>(&where)) || where == 0) {
    return;
  }
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!request(PTRACE_PEEKDATA, where + i * 8, reinterpret_cast<std::uint64_t>(&words[i])))
      return;
  }
  const critical_section section{words[0], words[1], words[2], words[3]};
  if (registers_.rip - section.start >= section.length) return;
  if (request(PTRACE_POKEDATA, pointer, 0)) registers_.rip = section.abort;
}

void traced_task::make_interrupted_call_restart() {
  if (registers_.rax == interrupted && may_be_made_again(registers_.orig_rax)) {
    registers_.rax = restart_unless_handled;
  }
}

/// Runs the task to the next stop at a system call. Signals are blocked, so only SIGSTOP, SIGKILL
/// and faults can come in between.
injection_trouble traced_task::resume_to_system_call() {
  for (;;) {
    if (!request(PTRACE_SYSCALL, 0, 0)) return failed();
    switch (wait()) {
      case stop_kind::ended:
        return injection_trouble::gone;
      case stop_kind::system_call:
        return injection_trouble::none;
      case stop_kind::interrupt:
        break;
      case stop_kind::signal:
        if (signal_ != SIGSTOP) return injection_trouble::fault;
        stop_again_ = true;
    }
  }
}

injection_trouble traced_task::call(long number, const std::array<std::uint64_t, 6>& arguments,
                                    long& answer) {
  const std::uint64_t all_signals = ~std::uint64_t{0};
  if (!used_ && !request(PTRACE_SETSIGMASK, sizeof all_signals,
                         reinterpret_cast<std::uint64_t>(&all_signals))) {
    return failed();
  }
  used_ = true;
  user_regs_struct changed = registers_;
  changed.rip = instruction_;
  changed.rax = static_cast<std::uint64_t>(number);
  changed.orig_rax = no_system_call;
  changed.rdi = arguments[0];
  changed.rsi = arguments[1];
  changed.rdx = arguments[2];
  changed.r10 = arguments[3];
  changed.r8 = arguments[4];
  changed.r9 = arguments[5];
  if (!request(PTRACE_SETREGS, 0, reinterpret_cast<std::uint64_t>(&changed))) return failed();
  for (int entry_and_exit = 0; entry_and_exit < 2; ++entry_and_exit) {
    const injection_trouble trouble = resume_to_system_call();
    if (trouble != injection_trouble::none) return trouble;
  }
  if (!request(PTRACE_GETREGS, 0, reinterpret_cast<std::uint64_t>(&changed))) return failed();
  answer = static_cast<long>(changed.rax);
  return injection_trouble::none;
}

injection_trouble traced_task::write(std::uint64_t address, const std::uint64_t* words,
                                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!request(PTRACE_POKEDATA, address + i * sizeof *words, words[i])) return failed();
  }
  return injection_trouble::none;
}

injection_trouble traced_task::let_go() {
  if (fit_ && !request(PTRACE_SETREGS, 0, reinterpret_cast<std::uint64_t>(&registers_))) {
    return failed();
  }
  // Back to where it was found: in the kernel's signal handling, where an interrupted system call
  // is restarted or not, according to the signals that are there by then. A thread that was in its
  // own code has nothing to restart and goes on from here.
  const bool was_in_call = static_cast<std::int64_t>(registers_.orig_rax) >= 0;
  if (used_ && was_in_call) {
    if (!request(PTRACE_INTERRUPT, 0, 0)) return failed();
    for (bool there = false; !there;) {
      if (!request(PTRACE_CONT, 0, 0)) return failed();
      switch (wait()) {
        case stop_kind::ended:
          return injection_trouble::gone;
        case stop_kind::interrupt:
          there = true;
          break;
        case stop_kind::system_call:
        case stop_kind::signal:
          if (signal_ == SIGSTOP) stop_again_ = true;
          if (!request(PTRACE_INTERRUPT, 0, 0)) return failed();
      }
    }
  }
  if (used_ && !request(PTRACE_SETSIGMASK, sizeof mask_, reinterpret_cast<std::uint64_t>(&mask_))) {
    return failed();
  }
  if (!request(PTRACE_DETACH, 0, 0)) return failed();
  if (stop_again_) ::kill(process_, SIGSTOP);
  return injection_trouble::none;
}

}  // namespace numatch::live
