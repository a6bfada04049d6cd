// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "live/cpu_mask.hpp"
#include "live/undo_journal.hpp"

namespace numatch::live {

/// What became of binding a thread.
enum class binding : std::uint8_t {
  done,
  forbidden,  ///< none of the processors is one that the thread may use by itself
  taken,      ///< the program, or somebody else, has bound it since: it is left alone from now on
  gone,       ///< it has ended
  refused     ///< by the system, or there is no room to write the change down
};
std::string_view to_string(binding outcome);

/// Binds threads of one process to processors (sched_setaffinity), and puts them back. A thread
/// stays within the processors that it could use before (its own affinity and its cpuset). Every
/// change is in the journal before it is made. What another one changed meanwhile is his.
///
/// Threads and processes that a bound thread creates inherit its processors: adopt() frees them,
/// and so do restore_all() and the guardian.
class thread_mover {
 public:
  /// The journal must outlive it.
  thread_mover(undo_journal& journal, pid_t process);
  thread_mover(const thread_mover&) = delete;
  thread_mover& operator=(const thread_mover&) = delete;
  ~thread_mover() { restore_all(); }

  /// To those of `cpus` that the thread may use.
  binding bind(pid_t task, std::span<const unsigned> cpus);
  /// The processors that it may use without us; empty when it has ended.
  std::vector<unsigned> own_cpus(pid_t task) const;
  bool is_bound(pid_t task) const { return bound_.contains(task); }
  std::size_t bound() const { return bound_.size(); }

  /// A new thread, or a child process, runs where its creator could run without us.
  void adopt(pid_t task);
  void restore(pid_t task);
  /// Children of the process, too.
  void restore_all();

 private:
  struct bound_task {
    lasting_id id;
    std::vector<unsigned> own;
    std::vector<unsigned> ours;
  };
  void forget(std::map<pid_t, bound_task>::iterator task);
  binding change(pid_t task, const bound_task& wanted);

  undo_journal& journal_;
  pid_t process_;
  lasting_id process_id_;
  std::map<pid_t, bound_task> bound_;
  std::map<pid_t, std::uint64_t> taken_;  ///< tasks that others bind, with their start
  /// Processors that were given at any time, and what was there before: heirs may have them.
  std::map<std::vector<unsigned>, std::vector<unsigned>> before_given_;
};

}  // namespace numatch::live
