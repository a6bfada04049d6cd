// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/result.hpp"
#include "sim/program.hpp"

namespace numatch::sim::ref {

/// Where every thread of a program is, and who waits for whom.
class program_order {
 public:
  static result<program_order> start(const program& run);

  /// The earliest cycle at which an access issues; none when all threads have ended.
  std::optional<std::uint64_t> next_cycle() const;
  /// Threads whose next access issues at that cycle, ascending.
  std::vector<unsigned> issuing_at(std::uint64_t cycle) const;
  const trace::access& access_of(unsigned number) const;

  /// The access of each of these threads stalled so long; they go on to their next ones.
  result<void> stalled(const std::map<unsigned, std::uint64_t>& stalls);

  std::uint64_t instructions() const { return instructions_; }
  std::uint64_t accesses() const { return accesses_; }
  /// Per thread, when all have ended.
  std::vector<std::uint64_t> clocks() const;

 private:
  struct thread {
    std::unique_ptr<program_thread> code;
    piece now;                ///< of accesses; else the thread is between pieces
    std::size_t index = 0;    ///< of the next access in it
    std::uint64_t begin = 0;  ///< of the piece, plus its stalls so far
    std::uint64_t clock = 0;  ///< between pieces
    bool ended = false;
    const trace::event* waits_for = nullptr;
  };
  struct done_release {
    std::uint64_t stamp;
    std::uint64_t cycle;
  };

  bool issues(const thread& t) const { return t.index < t.now.accesses.size(); }
  std::uint64_t issue_cycle(const thread& t) const;
  /// Lets threads that are between pieces go on as far as they can.
  result<void> settle();
  result<bool> step(thread& t);
  bool acquire(thread& t, const trace::event& wanted);

  std::vector<thread> threads_;
  std::map<std::uint64_t, std::set<std::uint64_t>> releases_;  ///< object -> stamps to come
  std::map<std::uint64_t, std::vector<done_release>> done_;
  std::uint64_t instructions_ = 0;
  std::uint64_t accesses_ = 0;
};

}  // namespace numatch::sim::ref
