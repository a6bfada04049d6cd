// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <cstdint>

namespace numatch::live {

/// Why a system call could not be made in a task.
enum class injection_trouble : std::uint8_t {
  none,
  gone,              ///< the task has ended
  not_permitted,     ///< traced already, or forbidden
  no_reply,          ///< it did not stop in time
  other_bits,        ///< it runs 32-bit code
  calls_dispatched,  ///< the program catches system calls (PR_SET_SYSCALL_USER_DISPATCH)
  no_instruction,    ///< there is no system call instruction where one was
  no_scratch,        ///< no memory for arguments
  fault,             ///< an instruction that must work did not
  system             ///< a ptrace request failed; see the code
};

/// A task of another process, stopped by ptrace and made to do system calls. Everything that the
/// task can see is as before after let_go(): registers, signal mask, pending signals, a stopped
/// job stays stopped, and a system call that was interrupted goes on as after any other spurious
/// wake-up (signal(7), "Interruption of system calls"). Allocates nothing, so it may be used after
/// fork() in a program with threads. Linux on x86-64.
///
/// When the caller is killed between stop() and let_go() the task goes on with wrong registers:
/// only a process that nobody kills should use it.
class traced_task {
 public:
  traced_task(pid_t process, pid_t task) : process_(process), task_(task) {}

  /// Attaches and stops; waits as long as that takes. `instruction`: address of a `syscall`
  /// instruction of the program. `past_filter`: also past its seccomp filter; needs CAP_SYS_ADMIN.
  injection_trouble stop(std::uint64_t instruction, bool past_filter);
  /// The kernel's answer, -errno for a failure, in `answer`.
  injection_trouble call(long number, const std::array<std::uint64_t, 6>& arguments, long& answer);
  /// Writes into the program's memory.
  injection_trouble write(std::uint64_t address, const std::uint64_t* words, std::size_t count);
  /// Restores and detaches.
  injection_trouble let_go();

  int code() const { return code_; }  ///< errno of `not_permitted` and `system`

 private:
  /// Where a stop of ptrace(2) came from.
  enum class stop_kind : std::uint8_t { interrupt, system_call, signal, ended };

  stop_kind wait();
  bool request(int what, std::uint64_t address, std::uint64_t data);
  injection_trouble failed();
  injection_trouble check_program(std::uint64_t instruction);
  injection_trouble resume_to_system_call();
  void leave_restartable_sequence();
  void make_interrupted_call_restart();

  pid_t process_;
  pid_t task_;
  int code_ = 0;
  int signal_ = 0;           ///< of the last stop
  bool stop_again_ = false;  ///< a SIGSTOP came that has to be sent again
  bool fit_ = false;         ///< calls may be made
  bool used_ = false;        ///< a call was made
  std::uint64_t mask_ = 0;   ///< blocked signals, to be restored
  std::uint64_t instruction_ = 0;
  user_regs_struct registers_{};  ///< to be restored
};

}  // namespace numatch::live
