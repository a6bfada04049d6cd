// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Locks, conditions, semaphores and barriers as release and acquire events.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>

#include "state.hpp"

using namespace numatch::instrumented;

// Mutexes. C11's are the same objects.
NUMATCH_WRAP(int, pthread_mutex_lock, pthread_mutex_t* lock) {
  const int outcome = __real_pthread_mutex_lock(lock);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_mutex_trylock, pthread_mutex_t* lock) {
  const int outcome = __real_pthread_mutex_trylock(lock);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_mutex_timedlock, pthread_mutex_t* lock, const timespec* until) {
  const int outcome = __real_pthread_mutex_timedlock(lock, until);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_mutex_clocklock, pthread_mutex_t* lock, clockid_t clock,
             const timespec* until) {
  const int outcome = __real_pthread_mutex_clocklock(lock, clock, until);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_mutex_unlock, pthread_mutex_t* lock) {
  release(object_at(lock));
  return __real_pthread_mutex_unlock(lock);
}
NUMATCH_WRAP(int, mtx_lock, mtx_t* lock) {
  const int outcome = __real_mtx_lock(lock);
  if (outcome == thrd_success) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, mtx_trylock, mtx_t* lock) {
  const int outcome = __real_mtx_trylock(lock);
  if (outcome == thrd_success) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, mtx_timedlock, mtx_t* lock, const timespec* until) {
  const int outcome = __real_mtx_timedlock(lock, until);
  if (outcome == thrd_success) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, mtx_unlock, mtx_t* lock) {
  release(object_at(lock));
  return __real_mtx_unlock(lock);
}

// Conditions: waiting gives the mutex back and takes it again; a signal comes before the return.
namespace {

void woken(const volatile void* condition, const volatile void* lock, bool signalled) {
  acquire(object_at(lock));
  if (signalled) acquire(object_at(condition));
}

}  // namespace

NUMATCH_WRAP(int, pthread_cond_wait, pthread_cond_t* condition, pthread_mutex_t* lock) {
  release(object_at(lock));
  const int outcome = __real_pthread_cond_wait(condition, lock);
  woken(condition, lock, outcome == 0);
  return outcome;
}
NUMATCH_WRAP(int, pthread_cond_timedwait, pthread_cond_t* condition, pthread_mutex_t* lock,
             const timespec* until) {
  release(object_at(lock));
  const int outcome = __real_pthread_cond_timedwait(condition, lock, until);
  woken(condition, lock, outcome == 0);
  return outcome;
}
NUMATCH_WRAP(int, pthread_cond_clockwait, pthread_cond_t* condition, pthread_mutex_t* lock,
             clockid_t clock, const timespec* until) {
  release(object_at(lock));
  const int outcome = __real_pthread_cond_clockwait(condition, lock, clock, until);
  woken(condition, lock, outcome == 0);
  return outcome;
}
NUMATCH_WRAP(int, pthread_cond_signal, pthread_cond_t* condition) {
  release(object_at(condition));
  return __real_pthread_cond_signal(condition);
}
NUMATCH_WRAP(int, pthread_cond_broadcast, pthread_cond_t* condition) {
  release(object_at(condition));
  return __real_pthread_cond_broadcast(condition);
}
NUMATCH_WRAP(int, cnd_wait, cnd_t* condition, mtx_t* lock) {
  release(object_at(lock));
  const int outcome = __real_cnd_wait(condition, lock);
  woken(condition, lock, outcome == thrd_success);
  return outcome;
}
NUMATCH_WRAP(int, cnd_timedwait, cnd_t* condition, mtx_t* lock, const timespec* until) {
  release(object_at(lock));
  const int outcome = __real_cnd_timedwait(condition, lock, until);
  woken(condition, lock, outcome == thrd_success);
  return outcome;
}
NUMATCH_WRAP(int, cnd_signal, cnd_t* condition) {
  release(object_at(condition));
  return __real_cnd_signal(condition);
}
NUMATCH_WRAP(int, cnd_broadcast, cnd_t* condition) {
  release(object_at(condition));
  return __real_cnd_broadcast(condition);
}

// Readers wait for writers only, writers for both: two objects.
namespace {

std::uint64_t readers_of(const pthread_rwlock_t* lock) {
  return object_at(lock) + 1;
}

void write_locked(const pthread_rwlock_t* lock) {
  acquire(object_at(lock));
  acquire(readers_of(lock));
}

}  // namespace

NUMATCH_WRAP(int, pthread_rwlock_rdlock, pthread_rwlock_t* lock) {
  const int outcome = __real_pthread_rwlock_rdlock(lock);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_rwlock_tryrdlock, pthread_rwlock_t* lock) {
  const int outcome = __real_pthread_rwlock_tryrdlock(lock);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_rwlock_timedrdlock, pthread_rwlock_t* lock, const timespec* until) {
  const int outcome = __real_pthread_rwlock_timedrdlock(lock, until);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_rwlock_wrlock, pthread_rwlock_t* lock) {
  const int outcome = __real_pthread_rwlock_wrlock(lock);
  if (outcome == 0) write_locked(lock);
  return outcome;
}
NUMATCH_WRAP(int, pthread_rwlock_trywrlock, pthread_rwlock_t* lock) {
  const int outcome = __real_pthread_rwlock_trywrlock(lock);
  if (outcome == 0) write_locked(lock);
  return outcome;
}
NUMATCH_WRAP(int, pthread_rwlock_timedwrlock, pthread_rwlock_t* lock, const timespec* until) {
  const int outcome = __real_pthread_rwlock_timedwrlock(lock, until);
  if (outcome == 0) write_locked(lock);
  return outcome;
}
NUMATCH_WRAP(int, pthread_rwlock_unlock, pthread_rwlock_t* lock) {
  // While a reader holds it there is no writer, and the other way round.
  const bool by_writer = lock->__data.__cur_writer != 0;
  release(by_writer ? object_at(lock) : readers_of(lock));
  return __real_pthread_rwlock_unlock(lock);
}

NUMATCH_WRAP(int, pthread_spin_lock, pthread_spinlock_t* lock) {
  const int outcome = __real_pthread_spin_lock(lock);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_spin_trylock, pthread_spinlock_t* lock) {
  const int outcome = __real_pthread_spin_trylock(lock);
  if (outcome == 0) acquire(object_at(lock));
  return outcome;
}
NUMATCH_WRAP(int, pthread_spin_unlock, pthread_spinlock_t* lock) {
  release(object_at(lock));
  return __real_pthread_spin_unlock(lock);
}

NUMATCH_WRAP(int, sem_post, sem_t* semaphore) {
  release(object_at(semaphore));
  return __real_sem_post(semaphore);
}
NUMATCH_WRAP(int, sem_wait, sem_t* semaphore) {
  const int outcome = __real_sem_wait(semaphore);
  if (outcome == 0) acquire(object_at(semaphore));
  return outcome;
}
NUMATCH_WRAP(int, sem_trywait, sem_t* semaphore) {
  const int outcome = __real_sem_trywait(semaphore);
  if (outcome == 0) acquire(object_at(semaphore));
  return outcome;
}
NUMATCH_WRAP(int, sem_timedwait, sem_t* semaphore, const timespec* until) {
  const int outcome = __real_sem_timedwait(semaphore, until);
  if (outcome == 0) acquire(object_at(semaphore));
  return outcome;
}

// Barriers. A thread that leaves late must not wait, in a replay, for threads that have reached the
// next use of the same barrier: each use is an object of its own, numbered by counting arrivals.
namespace {

class barrier_uses {
 public:
  void made(const void* barrier, std::uint32_t threads) {
    if (entry* e = find(barrier)) {
      e->arrivals.store(0);
      e->threads.store(threads);
    }
  }
  /// The object of the use that the caller is about to wait for. Arrivals of one use are complete
  /// before any of the next begins, so the quotient is exact.
  std::uint64_t arrive(const void* barrier) {
    const std::uint64_t address = reinterpret_cast<std::uint64_t>(barrier);
    entry* const e = find(barrier);
    const std::uint32_t threads = e == nullptr ? 0 : e->threads.load();
    const std::uint64_t use = threads == 0 ? 0 : e->arrivals.fetch_add(1) / threads;
    return 1ULL << 61 | (use & 0x3fff) << 47 | (address & ((1ULL << 47) - 1));
  }

 private:
  struct entry {
    std::atomic<const void*> barrier;
    std::atomic<std::uint32_t> threads;
    std::atomic<std::uint64_t> arrivals;
  };
  static constexpr std::size_t size = 1024;
  /// Null when the table is full: then all uses of the barrier are one object.
  entry* find(const void* barrier) {
    const std::size_t start = (reinterpret_cast<std::uintptr_t>(barrier) >> 5) % size;
    for (std::size_t probe = 0; probe < size; ++probe) {
      entry& e = entries_[(start + probe) % size];
      const void* held = nullptr;
      if (e.barrier.load() == barrier || e.barrier.compare_exchange_strong(held, barrier))
        return &e;
      if (held == barrier) return &e;
    }
    return nullptr;
  }
  entry entries_[size];
};

constinit barrier_uses uses{};

}  // namespace

NUMATCH_WRAP(int, pthread_barrier_init, pthread_barrier_t* barrier,
             const pthread_barrierattr_t* attributes, unsigned threads) {
  const int outcome = __real_pthread_barrier_init(barrier, attributes, threads);
  if (outcome == 0 && recording_on()) uses.made(barrier, threads);
  return outcome;
}
NUMATCH_WRAP(int, pthread_barrier_wait, pthread_barrier_t* barrier) {
  if (!recording_on()) return __real_pthread_barrier_wait(barrier);
  const std::uint64_t object = uses.arrive(barrier);
  release(object);
  const int outcome = __real_pthread_barrier_wait(barrier);
  acquire(object);
  return outcome;
}

// pthread_once: what the routine did comes before every return.
namespace {

struct once_call {
  pthread_once_t* control;
  void (*routine)();
};
__thread once_call current_once __attribute__((tls_model("local-exec")));

void run_once() {
  const once_call call = current_once;  // the routine may use another pthread_once
  call.routine();
  release(object_at(call.control));
}

}  // namespace

NUMATCH_WRAP(int, pthread_once, pthread_once_t* control, void (*routine)()) {
  const once_call outer = current_once;
  current_once = {control, routine};
  const int outcome = __real_pthread_once(control, run_once);
  current_once = outer;
  acquire(object_at(control));
  return outcome;
}
