// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// What libstdc++ does inside itself. The only member of std::thread is the pthread_t, that of
// std::condition_variable the pthread_cond_t; a unique_lock begins with the pointer to its mutex.
#include "state.hpp"

using namespace numatch::instrumented;

NUMATCH_WRAP_WEAK(void, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, void* condition,
                  void** lock) {
  void* const mutex = *lock;
  release(object_at(mutex));
  __real__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(condition, lock);
  acquire(object_at(mutex));
  acquire(object_at(condition));
}
NUMATCH_WRAP_WEAK(void, _ZNSt18condition_variable10notify_oneEv, void* condition) {
  release(object_at(condition));
  __real__ZNSt18condition_variable10notify_oneEv(condition);
}
NUMATCH_WRAP_WEAK(void, _ZNSt18condition_variable10notify_allEv, void* condition) {
  release(object_at(condition));
  __real__ZNSt18condition_variable10notify_allEv(condition);
}
NUMATCH_WRAP_WEAK(void, _ZNSt6thread4joinEv, const std::uint64_t* thread) {
  const joining join(*thread);
  __real__ZNSt6thread4joinEv(thread);
  join.done();
}
