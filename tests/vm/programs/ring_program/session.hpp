// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ring_program/control.hpp"
#include "ring_program/disturbance.hpp"
#include "ring_program/memory.hpp"
#include "ring_program/options.hpp"
#include "ring_program/worker.hpp"

namespace ring {

/// SIGUSR1, SIGUSR2, SIGTERM and SIGINT no longer interrupt: a session waits for them.
void block_signals();

/// The threads of one process from creation to verdict. Throws std::system_error.
class session {
 public:
  /// `others` are processes that get each signal, too.
  session(const options& chosen, const memory& pages, start_line& start, unsigned process,
          std::vector<pid_t> others);

  /// Runs all threads to their end. True when all sums are right and nothing beside failed.
  bool run();

 private:
  void create_threads();
  void thread_body(worker& self, int cpu);
  void serve_signals();
  void report(std::optional<std::uint64_t> errors) const;

  const options& chosen_;
  const memory& pages_;
  start_line& start_;
  unsigned process_;
  std::vector<pid_t> others_;
  control control_;
  disturbance disturbance_;
  std::deque<worker> workers_;  ///< by thread number
  std::vector<std::thread> threads_;
};

}  // namespace ring
