// SPDX-License-Identifier: Apache-2.0
#include "ring_program/control.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace ring {

start_line::start_line(unsigned parties) {
  void* const place = mmap(nullptr, sizeof(pthread_barrier_t), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "cannot map the start line");
  }
  barrier_ = static_cast<pthread_barrier_t*>(place);
  pthread_barrierattr_t between_processes;
  pthread_barrierattr_init(&between_processes);
  pthread_barrierattr_setpshared(&between_processes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(barrier_, &between_processes, parties);
  pthread_barrierattr_destroy(&between_processes);
}

/// The barrier itself may still be left by others, so only its memory goes.
start_line::~start_line() {
  munmap(barrier_, sizeof(pthread_barrier_t));
}

}  // namespace ring
