// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <set>

#include "live/pin_plan.hpp"

namespace numatch::live {

/// Reacts to the stops of a traced program: numbers its threads, pins them, lets children go.
class thread_pinner {
 public:
  thread_pinner(const pin_plan& plan, pid_t program) : plan_(plan), program_(program) {
    known_.insert(program);
  }
  /// ptrace options that its stops need.
  static long options();

  /// A status of waitpid for `task` that says "stopped". Afterwards the task runs again, or waits
  /// for its creator's report.
  void stopped(pid_t task, int status);
  void ended(pid_t task) { known_.erase(task); }

  std::size_t threads() const { return threads_; }
  std::size_t refused() const { return refused_; }

 private:
  void created(pid_t task, bool may_be_thread);
  void started_new_program(pid_t task);
  void pin_next(pid_t task);
  void let_go(pid_t child) const;

  const pin_plan& plan_;
  pid_t program_;
  std::size_t threads_ = 1;
  std::size_t refused_ = 0;
  std::set<pid_t> known_;     ///< threads that have their place
  std::set<pid_t> children_;  ///< processes to be let go at their first stop
  std::set<pid_t> early_;     ///< stopped before their creator reported them
};

}  // namespace numatch::live
