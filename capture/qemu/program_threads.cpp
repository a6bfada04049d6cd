// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "program_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "guest_memory.hpp"
#include "trace/encoder.hpp"

namespace numatch::qemu {

namespace {

class locked {
 public:
  explicit locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~locked() { pthread_mutex_unlock(&mutex_); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace

void program_threads::expect(unsigned vcpu) {
  unsigned known = __atomic_load_n(&vcpus_, __ATOMIC_RELAXED);
  while (vcpu >= known && !__atomic_compare_exchange_n(&vcpus_, &known, vcpu + 1, true,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  recorders_[vcpu] = nullptr;
  free(threads_[vcpu]);
  threads_[vcpu] = static_cast<guest_thread*>(calloc(1, sizeof(guest_thread)));
}

void program_threads::count_early(unsigned vcpu, std::uint64_t instructions) {
  if (recording() && threads_[vcpu] != nullptr) {
    threads_[vcpu]->early_instructions += instructions;
  }
}

void program_threads::count(unsigned vcpu, std::uint64_t total) {
  guest_thread* const thread = threads_[vcpu];
  if (!recording() || thread == nullptr || thread->recorder == nullptr) return;
  trace::record_instructions(thread->recorder, total - thread->counted);
  thread->counted = total;
}

guest_thread* program_threads::claim(unsigned vcpu, std::uint64_t address) {
  if (!recording()) return nullptr;
  guest_thread* const thread = threads_[vcpu];
  if (thread == nullptr) return nullptr;
  if (thread->recorder == nullptr) {
    start(*thread, address);
    recorders_[vcpu] = thread->recorder;
  }
  return thread->recorder != nullptr ? thread : nullptr;
}

program_threads::pending_clone* program_threads::find_clone_of(std::uint32_t os_tid) {
  // Exact as soon as the parent's call has returned or the new tid stands where the parent wanted
  // it, which is before the new thread runs.
  pending_clone* found = clones_.find([=](const pending_clone& c) {
    std::uint32_t written = 0;
    return c.os_tid == os_tid ||
           (c.os_tid == 0 && (c.request.flags & CLONE_PARENT_SETTID) != 0 &&
            read_guest_value(c.request.parent_tid_at, written) && written == os_tid);
  });
  if (found == nullptr) {
    found = clones_.find([](const pending_clone& c) { return c.os_tid == 0; });
  }
  return found;
}

void program_threads::start(guest_thread& thread, std::uint64_t address) {
  const locked hold(lock_);
  thread.os_tid = static_cast<std::uint32_t>(gettid());
  pending_clone* const clone = find_clone_of(thread.os_tid);
  const std::uint32_t parent = clone != nullptr ? clone->parent : unknown_thread;
  const std::uint32_t id = clone != nullptr ? clone->child : reserve_id();
  thread.id = id;
  thread.recorder = trace::begin_thread(recorder_, thread.os_tid, parent, id);
  if (thread.recorder == nullptr) return;
  trace::record_instructions(thread.recorder, thread.early_instructions);
  if (clone != nullptr) {
    if ((clone->request.flags & CLONE_CHILD_CLEARTID) != 0) {
      thread.cleared_at_end = clone->request.child_tid_at;
    }
    clones_.remove(clone);
    const std::uint64_t started = start_of(id);
    trace::record_event(thread.recorder, trace::event_kind::acquire, &started, 1);
  } else {
    memory_.report_modules(thread.recorder);
  }
  // A thread's first access is to its stack: it takes its arguments from there.
  std::uint64_t stack[2];
  if (address != 0 && memory_.find_stack(address, stack[0], stack[1])) {
    trace::record_event(thread.recorder, trace::event_kind::stack, stack, 2);
  }
}

void program_threads::end(unsigned vcpu) {
  guest_thread* const thread = threads_[vcpu];
  recorders_[vcpu] = nullptr;
  threads_[vcpu] = nullptr;
  if (!recording() || thread == nullptr) return;
  if (thread->recorder != nullptr) trace::end_thread(thread->recorder);
  free(thread);
}

void program_threads::finish() {
  trace::recorder* const recorder = recorder_;
  if (recorder == nullptr) return;
  __atomic_store_n(&recorder_, nullptr, __ATOMIC_RELAXED);
  trace::finish(recorder);
}

void program_threads::forget() {
  trace::recorder* const recorder = recorder_;
  if (recorder == nullptr) return;
  recorder_ = nullptr;
  // Only the forking thread lives on, but it may be any of them, and numbers are reused.
  for (unsigned vcpu = 0; vcpu < vcpus_; ++vcpu) recorders_[vcpu] = nullptr;
  trace::forget_session(recorder);
}

void program_threads::begin_clone(guest_thread& parent, const clone_request& request) {
  std::uint32_t child = 0;
  {
    const locked hold(lock_);
    child = reserve_id();
    if (!clones_.add({child, parent.id, 0, request})) return;
    if ((request.flags & CLONE_SETTLS) != 0) remember_handle(request.thread_pointer, child);
  }
  const std::uint64_t started = start_of(child);
  trace::record_event(parent.recorder, trace::event_kind::release, &started, 1);
}

void program_threads::end_clone(guest_thread& parent, std::int64_t result) {
  const locked hold(lock_);
  // Gone when the child has run already.
  const std::uint32_t id = parent.id;
  pending_clone* const mine =
      clones_.find([=](const pending_clone& c) { return c.parent == id && c.os_tid == 0; });
  if (mine == nullptr) return;
  if (result > 0) {
    mine->os_tid = static_cast<std::uint32_t>(result);
  } else {
    unused_ids_.add(mine->child);
    clones_.remove(mine);
  }
}

std::uint32_t program_threads::reserve_id() {
  if (unused_ids_.size() == 0) return trace::reserve_thread(recorder_);
  const std::uint32_t id = *unused_ids_.begin();
  unused_ids_.remove(unused_ids_.begin());
  return id;
}

void program_threads::remember_handle(std::uint64_t handle, std::uint32_t thread) {
  handle_owner* const owner =
      handles_.find([=](const handle_owner& h) { return h.handle == handle; });
  if (owner != nullptr) {
    owner->thread = thread;
  } else {
    handles_.add({handle, thread});
  }
}

std::uint32_t program_threads::thread_of_handle(std::uint64_t handle) {
  const locked hold(lock_);
  const handle_owner* const owner =
      handles_.find([=](const handle_owner& h) { return h.handle == handle; });
  return owner != nullptr ? owner->thread : unknown_thread;
}

void program_threads::report_modules(guest_thread& thread) {
  const locked hold(lock_);
  memory_.report_modules(thread.recorder);
}

void program_threads::add_stack(std::uint64_t address, std::uint64_t bytes) {
  const locked hold(lock_);
  memory_.add_stack(address, bytes);
}

void program_threads::remove_stack(std::uint64_t address, std::uint64_t bytes) {
  const locked hold(lock_);
  memory_.remove_stack(address, bytes);
}

}  // namespace numatch::qemu
