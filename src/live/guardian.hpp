// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/result.hpp"
#include "live/cpu_mask.hpp"
#include "live/owned_fd.hpp"
#include "live/undo_journal.hpp"

namespace numatch::live {

/// A small process in its own session that waits for the end of this one, however it comes, and
/// then takes back what the journal says was changed and not restored: memory policies and
/// affinities. To be started before descriptors are opened whose closing by the kernel undoes
/// something, and before other threads are started. Where Yama allows only ancestors to attach
/// (ptrace_scope 1), policies cannot be restored by it, affinities can.
class guardian {
 public:
  static result<guardian> start();
  guardian(guardian&& other) noexcept;
  guardian& operator=(guardian&& other) noexcept;
  /// Waits until the guardian has restored what is open.
  ~guardian();

  undo_journal& journal() { return journal_; }
  pid_t pid() const { return pid_; }

 private:
  guardian(undo_journal journal, owned_fd alive, pid_t pid)
      : journal_(std::move(journal)), alive_(std::move(alive)), pid_(pid) {}
  undo_journal journal_;
  owned_fd alive_;  ///< closed with this process: then the guardian acts
  pid_t pid_ = 0;
};

/// Who a running task is; number 0 when it has ended.
lasting_id lasting_id_of(pid_t process, pid_t task);

/// Takes back what the journal has open. Returns how many tasks and processes that still run could
/// not be restored.
std::size_t restore_changes(const undo_journal& journal);

}  // namespace numatch::live
