// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Creating and joining threads. pthread_create is not wrapped but replaced for the whole program,
// so that threads made inside shared libraries (std::thread, libgomp, libomp) are seen as well.
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "state.hpp"

namespace numatch::instrumented {

namespace {

/// A word that one thread sets once and another waits for.
class flag {
 public:
  void set() {
    word_.store(1, std::memory_order_release);
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void wait() {
    while (word_.load(std::memory_order_acquire) == 0)
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }

 private:
  std::atomic<std::uint32_t> word_{0};
};

/// Which thread number a pthread_t has, for joins. Open addressing without locks; an entry is never
/// removed, only taken over by the next thread with the same pthread_t (the C library reuses
/// stacks). When it is full, joins of further threads are not ordered.
class thread_numbers {
 public:
  void put(pthread_t thread, std::uint32_t id, std::uint32_t os_tid) {
    for (std::size_t probe = 0; probe < most_probes; ++probe) {
      entry& e = at(thread, probe);
      std::uint64_t held = 0;
      if (e.thread.load() == thread || e.thread.compare_exchange_strong(held, thread)) {
        e.os_tid.store(os_tid);
        e.id_plus_one.store(id + 1);
        return;
      }
    }
  }
  /// False when the thread is not known.
  bool get(pthread_t thread, std::uint32_t& id, std::uint32_t& os_tid) {
    for (std::size_t probe = 0; probe < most_probes; ++probe) {
      entry& e = at(thread, probe);
      if (e.thread.load() != thread) continue;
      const std::uint32_t found = e.id_plus_one.load();
      id = found - 1;
      os_tid = e.os_tid.load();
      return found != 0;
    }
    return false;
  }

 private:
  struct entry {
    std::atomic<std::uint64_t> thread;
    std::atomic<std::uint32_t> id_plus_one;
    std::atomic<std::uint32_t> os_tid;
  };
  static constexpr std::size_t size = 16384;
  static constexpr std::size_t most_probes = 64;
  entry& at(pthread_t thread, std::size_t probe) {
    const std::uint64_t mixed = (thread >> 6) * 0x9e3779b97f4a7c15ULL;
    return entries_[((mixed >> 40) + probe) % size];
  }
  entry entries_[size];
};

constinit thread_numbers numbers{};

/// What the creating thread hands to the new one; lies on the creator's stack.
struct launch {
  void* (*run)(void*);
  void* argument;
  std::uint32_t parent;
  // The new thread's answer.
  bool registered;
  std::uint32_t id;
  flag* go;
  flag answered;
};

/// Numbers follow the order of creation, and the thread starts after the creator's release: the
/// creator waits for the number, the new thread for the release.
void* begin(void* from_creator) {
  launch& creator = *static_cast<launch*>(from_creator);
  void* (*const run)(void*) = creator.run;
  void* const argument = creator.argument;
  flag go;
  std::uint32_t id = 0;
  const bool registered = register_thread(creator.parent);
  if (registered) {
    id = trace::id_of(this_thread.recorder);
    numbers.put(pthread_self(), id, static_cast<std::uint32_t>(syscall(SYS_gettid)));
    creator.id = id;
    creator.go = &go;
  }
  creator.registered = registered;
  creator.answered.set();  // the creator's stack must not be used from here on
  if (registered) {
    go.wait();
    acquire(start_of_thread(id));
    watch_thread_end();
    report_stack();
  }
  return run(argument);
}

using create_function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

create_function real_create() {
  static constinit std::atomic<create_function> found{nullptr};
  create_function create = found.load(std::memory_order_relaxed);
  if (create == nullptr) {
    create = reinterpret_cast<create_function>(dlsym(RTLD_NEXT, "pthread_create"));
    found.store(create, std::memory_order_relaxed);
  }
  return create;
}

}  // namespace

joining::joining(std::uint64_t thread) {
  std::uint32_t os_tid = 0;
  known_ = recording_on() && numbers.get(thread, id_, os_tid);
}
void joining::done() const {
  if (known_) acquire(end_of_thread(id_));
}

std::uint64_t os_tid_of(std::uint64_t thread) {
  if (thread == pthread_self()) return 0;
  std::uint32_t id = 0;
  std::uint32_t os_tid = 0;
  return numbers.get(thread, id, os_tid) ? os_tid : ~std::uint32_t{0};
}

}  // namespace numatch::instrumented

using namespace numatch::instrumented;

// The C library's header has reserved parameter names.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
NUMATCH_ENTRY int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                 void* (*run)(void*), void* argument) noexcept {
  if (this_thread.now == phase::unknown) register_thread(~std::uint32_t{0});
  if (this_thread.now != phase::ready) return real_create()(thread, attributes, run, argument);
  launch child{run, argument, numatch::trace::id_of(this_thread.recorder), false, 0, nullptr, {}};
  const int outcome = real_create()(thread, attributes, begin, &child);
  if (outcome != 0) return outcome;
  child.answered.wait();
  if (child.registered) {
    release(start_of_thread(child.id));
    child.go->set();
  }
  return 0;
}

NUMATCH_WRAP(int, pthread_join, pthread_t thread, void** value) {
  const joining join(thread);
  const int outcome = __real_pthread_join(thread, value);
  if (outcome == 0) join.done();
  return outcome;
}
NUMATCH_WRAP(int, pthread_tryjoin_np, pthread_t thread, void** value) {
  const joining join(thread);
  const int outcome = __real_pthread_tryjoin_np(thread, value);
  if (outcome == 0) join.done();
  return outcome;
}
NUMATCH_WRAP(int, pthread_timedjoin_np, pthread_t thread, void** value, const timespec* until) {
  const joining join(thread);
  const int outcome = __real_pthread_timedjoin_np(thread, value, until);
  if (outcome == 0) join.done();
  return outcome;
}

// C11 threads are pthreads under other names, but the C library calls itself directly.
NUMATCH_WRAP(int, thrd_create, thrd_t* thread, thrd_start_t run, void* argument) {
  if (!recording_on()) return __real_thrd_create(thread, run, argument);
  // A function that returns int may be called as one that returns a pointer on x86-64: the result
  // stays in the same register, and thrd_join reads its low half.
  const int outcome = pthread_create(
      thread, nullptr, reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(run)),
      argument);
  if (outcome == 0) return thrd_success;
  return outcome == EAGAIN ? thrd_nomem : thrd_error;
}
NUMATCH_WRAP(int, thrd_join, thrd_t thread, int* value) {
  const joining join(thread);
  const int outcome = __real_thrd_join(thread, value);
  if (outcome == thrd_success) join.done();
  return outcome;
}
