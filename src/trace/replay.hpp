// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "trace/reader.hpp"

namespace numatch::trace {

/// How a recording is turned into one order that does not depend on the machine that captured it.
struct replay_options {
  /// A thread runs about this many time units before another one with a lower clock gets its turn:
  /// 1 to twice as many, drawn from its id and clock, so that threads that do the same work
  /// overtake each other as on a machine instead of always touching memory in the order of their
  /// ids.
  std::uint64_t quantum = 1000;
  /// Only what lies between roi_begin and roi_end annotations, when the trace has any.
  bool region_of_interest = false;
};

/// One step of the merged program: either accesses of one thread, or TLB records of one thread, or
/// one event of it. Spans and pointers live until the next call.
struct step {
  thread_id thread;
  std::uint64_t time = 0;  ///< the thread's virtual clock before the step
  std::span<const access> accesses;
  std::span<const tlb_record> tlb_records;
  const event* happened = nullptr;
};

/// Replays all threads by virtual time: each thread has a clock (instructions where the trace
/// counts them, else accesses); the thread with the lowest clock (then the lowest id) runs next; an
/// acquire waits until every release of the same object with a lower stamp has been replayed, and
/// moves the waiter's clock to the latest of them. Because edges only go forward in stamps this
/// cannot deadlock on a trace that passes check_trace(). Deterministic. Memory: one chunk per live
/// thread plus 16 bytes per release.
class replay {
 public:
  static result<replay> open(const reader& trace, const replay_options& options);
  replay(replay&&) noexcept;
  replay& operator=(replay&&) noexcept;
  ~replay();
  /// The next step; thread and spans empty and happened null (`done()`) at the end.
  result<step> next();
  bool done() const;
  /// Accesses handed out so far, for progress.
  std::uint64_t position() const;
  struct state;

 private:
  explicit replay(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

}  // namespace numatch::trace
