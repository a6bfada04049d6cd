// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <pthread.h>

#include <cstdint>

#include "address_space.hpp"
#include "table.hpp"
#include "trace/recorder.hpp"

namespace numatch::qemu {

inline constexpr std::uint32_t unknown_thread = ~std::uint32_t{0};

/// A thread of the program while it lives. QEMU numbers its virtual CPUs from 0 and gives the
/// number of an ended thread to the next one, so this is made anew for each vcpu_init.
struct guest_thread {
  trace::thread_recorder* recorder;
  std::uint32_t id;
  std::uint32_t os_tid;
  std::uint64_t cleared_at_end;      ///< address of the tid that is zeroed and woken; 0: none
  std::uint64_t program_break;       ///< last one seen
  std::uint64_t early_instructions;  ///< before the recorder was there
  std::uint64_t counted;             ///< instructions handed to the recorder by count()
  std::uint64_t args[6];             ///< of the system call in progress
  bool modules_changed;              ///< code was mapped and not looked at yet
};

/// Object numbers of synchronisation edges that no futex address stands for.
constexpr std::uint64_t start_of(std::uint32_t thread) {
  return std::uint64_t{1} << 63 | thread;
}
constexpr std::uint64_t end_of(std::uint32_t thread) {
  return std::uint64_t{3} << 62 | thread;
}

/// What a clone system call asks for.
struct clone_request {
  std::uint64_t flags;
  std::uint64_t parent_tid_at;
  std::uint64_t child_tid_at;
  std::uint64_t thread_pointer;
};

/// Which virtual CPU is which thread of the program. Thread safe, apart from the guest_thread
/// objects: each belongs to the thread that it describes.
class program_threads {
 public:
  void use(trace::recorder* recorder) { recorder_ = recorder; }
  bool recording() const { return __atomic_load_n(&recorder_, __ATOMIC_RELAXED) != nullptr; }

  /// A new thread will run as `vcpu`; called by its parent (QEMU 7.2) or by itself (10.x).
  void expect(unsigned vcpu);
  /// The thread that runs as `vcpu`, which is the calling one. At its first call the thread gets
  /// its id, its recorder and its stack, which holds `address` (0: not known yet). Null when
  /// nothing is recorded.
  guest_thread* claim(unsigned vcpu, std::uint64_t address);
  /// The thread of `vcpu` has ended.
  void end(unsigned vcpu);
  /// Nothing more is recorded: the program ends.
  void finish();
  /// This process is a forked child.
  void forget();

  /// The calling thread is about to create a thread, and what came of it.
  void begin_clone(guest_thread& parent, const clone_request& request);
  void end_clone(guest_thread& parent, std::int64_t result);
  /// The thread with this pthread_t, the latest if there were several.
  std::uint32_t thread_of_handle(std::uint64_t handle);

  void report_modules(guest_thread& thread);
  void add_stack(std::uint64_t address, std::uint64_t bytes);
  void remove_stack(std::uint64_t address, std::uint64_t bytes);
  void remember_host() { memory_.remember_host(); }
  bool program_is_at(std::uint64_t address) { return memory_.program_is_at(address); }

  /// The hot path: null while the thread is not claimed or nothing is recorded.
  trace::thread_recorder* recorder_of(unsigned vcpu) const { return recorders_[vcpu]; }
  void count_early(unsigned vcpu, std::uint64_t instructions);
  /// The thread has executed `total` instructions since it began.
  void count(unsigned vcpu, std::uint64_t total);
  /// Highest index in use so far, plus one.
  unsigned vcpus() const { return vcpus_; }

 private:
  /// Linux has no more threads than this, so no index that QEMU gives is out of range. Untouched
  /// entries cost no memory.
  static constexpr unsigned max_vcpus = 1U << 22;
  struct pending_clone {
    std::uint32_t child;
    std::uint32_t parent;
    std::uint32_t os_tid;  ///< 0 until the parent's system call has returned
    clone_request request;
  };
  struct handle_owner {
    std::uint64_t handle;
    std::uint32_t thread;
  };
  pending_clone* find_clone_of(std::uint32_t os_tid);
  void start(guest_thread& thread, std::uint64_t address);
  std::uint32_t reserve_id();
  void remember_handle(std::uint64_t handle, std::uint32_t thread);

  trace::recorder* recorder_ = nullptr;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  table<pending_clone> clones_;
  table<handle_owner> handles_;
  table<std::uint32_t> unused_ids_;  ///< of clone calls that failed
  address_space memory_;
  unsigned vcpus_ = 0;
  trace::thread_recorder* recorders_[max_vcpus] = {};
  guest_thread* threads_[max_vcpus] = {};
};

}  // namespace numatch::qemu
