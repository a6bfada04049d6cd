// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace workload {

/// Threads of the pthread workloads: the calling thread is number 0, the others are made with
/// pthread_create. `body(thread, wait)` runs in each; `wait()` is a barrier of all of them.
template <class Body>
class team {
 public:
  team(unsigned threads, Body& body) : body_(body) {
    if (pthread_barrier_init(&barrier_, nullptr, threads) != 0) give_up("pthread_barrier_init");
    std::vector<member> members(threads);
    for (unsigned t = 0; t < threads; ++t) members[t] = {this, t, {}};
    for (unsigned t = 1; t < threads; ++t) {
      if (pthread_create(&members[t].handle, nullptr, start, &members[t]) != 0) {
        give_up("pthread_create");
      }
    }
    start(&members[0]);
    for (unsigned t = 1; t < threads; ++t) pthread_join(members[t].handle, nullptr);
    pthread_barrier_destroy(&barrier_);
  }
  team(const team&) = delete;
  team& operator=(const team&) = delete;

 private:
  struct member {
    team* whole;
    unsigned thread;
    pthread_t handle;
  };

  static void* start(void* argument) {
    const member self = *static_cast<member*>(argument);
    pthread_barrier_t* const barrier = &self.whole->barrier_;
    self.whole->body_(self.thread, [barrier] { pthread_barrier_wait(barrier); });
    return nullptr;
  }

  [[noreturn]] static void give_up(const char* call) {
    std::perror(call);
    std::exit(2);
  }

  Body& body_;
  pthread_barrier_t barrier_;
};

}  // namespace workload
