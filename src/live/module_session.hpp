// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "live/owned_fd.hpp"
#include "uapi/numatch.h"

namespace numatch::live {

/// A session of the kernel module numatch.ko (docs/kernel-module.md, kernel/uapi/numatch.h): it
/// ends with this object, or with this process. Not thread safe.
class module_session {
 public:
  /// Errors: the module is not loaded, is of another version, or this user may not use it.
  static result<module_session> open();
  module_session(module_session&& other) noexcept;
  module_session& operator=(module_session&& other) noexcept;
  ~module_session();

  /// What numatch_start may ask for at most.
  const numatch_info& limits() const { return limits_; }
  /// Once. The error says which process, and why it is refused.
  result<void> start(const numatch_start& asked);
  result<void> stop();
  /// Off: nothing is seen. On: all views are empty again; `clear` empties the snapshot, too.
  result<void> trace(bool on, bool clear);
  /// Closes `percent` of the open entries.
  result<numatch_zap> zap(unsigned percent);
  result<numatch_stats> stats() const;
  /// Every pair of thread and page that was seen, in no order.
  result<std::vector<numatch_pair>> snapshot() const;
  /// What came into the ring since the last call, oldest first; never waits.
  std::vector<numatch_use> take_uses();
  /// Readable when the ring is half full.
  int fd() const { return device_.get(); }

 private:
  explicit module_session(owned_fd device) : device_(std::move(device)) {}
  result<void> ask(unsigned long command, void* argument, const char* what) const;

  owned_fd device_;
  numatch_info limits_{};
  pid_t process_ = 0;
  numatch_ring* ring_ = nullptr;
  std::size_t ring_bytes_ = 0;
};

}  // namespace numatch::live
