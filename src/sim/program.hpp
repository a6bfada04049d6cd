// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "trace/reader.hpp"
#include "trace/release_order.hpp"

// What the simulated machine runs: threads of accesses and events. A trace is one; tests make
// others.

namespace numatch::sim {

/// The next thing that a thread does. Either a piece of accesses, or an event, or the end.
struct piece {
  std::span<const trace::access> accesses;
  /// Retired from the start of the piece to its end, at least one per access. Access k issues after
  /// instructions × k / accesses of them.
  std::uint64_t instructions = 0;
  const trace::event* happened = nullptr;
  bool ended() const { return accesses.empty() && happened == nullptr; }
};

/// One thread on its way through its program.
class program_thread {
 public:
  virtual ~program_thread() = default;
  /// Spans and pointers live until the next call.
  virtual result<piece> next() = 0;
};

class program {
 public:
  virtual ~program() = default;
  virtual std::size_t threads() const = 0;
  virtual std::uint64_t accesses() const = 0;
  /// From the start; may be called again and from several threads.
  virtual result<std::unique_ptr<program_thread>> start(thread_id thread) const = 0;
  virtual bool has_region_of_interest() const = 0;
  /// The thread that the operating system called so when it was recorded; nullopt where nobody
  /// knows.
  virtual std::optional<thread_id> thread_of(std::uint64_t) const { return std::nullopt; }
  /// The releases that acquires have to wait for are taken from this trace's events: every release
  /// of every thread, as (object, stamp).
  using release = trace::release_order::release;
  virtual result<std::vector<release>> releases() const = 0;
};

/// A recorded trace that is not TLB-filtered; `trace` must live longer.
result<std::unique_ptr<program>> trace_program(const trace::reader& trace);

}  // namespace numatch::sim
