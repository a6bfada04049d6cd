// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "program_threads.hpp"

namespace numatch::qemu {

/// Turns the program's system calls into events: synchronisation, memory, placement, annotations.
/// enter() runs before the call is made, leave() after it. Releases, unmappings and wishes for a
/// placement are recorded before (a wish counts even where QEMU or the kernel refuses it), acquires
/// and new mappings after.
class system_calls {
 public:
  explicit system_calls(program_threads& threads) : threads_(threads) {}
  void enter(guest_thread& thread, std::int64_t number, const std::uint64_t (&args)[6]);
  void leave(guest_thread& thread, std::int64_t number, std::int64_t value);

 private:
  void enter_futex(guest_thread& thread);
  void leave_futex(guest_thread& thread, std::int64_t value);
  void enter_clone(guest_thread& thread, std::int64_t number);
  void enter_prctl(guest_thread& thread);
  void annotate(guest_thread& thread, std::uint64_t record_address);
  void move_pages(guest_thread& thread);
  void leave_mmap(guest_thread& thread, std::uint64_t address);
  void release_all_wakes(guest_thread& thread, std::uint64_t futex);

  /// FUTEX_REQUEUE moves waiters: who waits on `from` may be woken through `to`.
  struct requeued {
    std::uint64_t from;
    std::uint64_t to;
  };
  program_threads& threads_;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  table<requeued> requeued_;
};

}  // namespace numatch::qemu
