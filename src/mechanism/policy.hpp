// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "mechanism/parameters.hpp"
#include "mechanism/world.hpp"

// What the policies of the mechanisms have in common.

namespace numatch {

/// Which of its two kinds of decisions a mechanism carries out: mapping only threads or only pages
/// are runs of their own.
struct acts_on {
  bool threads = true;
  bool pages = true;
};
inline constexpr std::array<std::string_view, 4> acts_on_words{"both", "threads", "pages", "none"};
inline acts_on acts_on_named(std::string_view word) {
  return {word == "both" || word == "threads", word == "both" || word == "pages"};
}
inline constexpr parameter acts_on_parameter{
    "act-on", "both", "", "what is moved: both, threads, pages or none", "docs/mechanisms.md"};

/// For mechanisms that have one half: the other half alone would be nothing, and is refused.
inline constexpr std::array<std::string_view, 2> acts_on_threads_words{"threads", "none"};
inline constexpr parameter acts_on_threads_parameter{
    "act-on", "threads", "", "what is placed or moved: threads or none; pages never are",
    "docs/mechanisms.md"};
inline constexpr std::array<std::string_view, 2> acts_on_pages_words{"pages", "none"};
inline constexpr parameter acts_on_pages_parameter{
    "act-on", "pages", "", "what is placed or moved: pages or none; threads never are",
    "docs/mechanisms.md"};

/// Milliseconds as nanoseconds; fractions are for runs that are shorter than the papers'.
inline std::uint64_t milliseconds(parameter_reader& read, std::string_view name) {
  return static_cast<std::uint64_t>(std::llround(read.real(name, 0.001, 1e9) * 1e6));
}

/// The same where 0 stands for none.
inline std::uint64_t milliseconds_or_none(parameter_reader& read, std::string_view name) {
  return static_cast<std::uint64_t>(std::llround(read.real(name, 0, 1e9) * 1e6));
}

/// The page of a byte address.
inline page_number page_of(std::uint64_t address, const world& where) {
  return page_number(address / where.page_bytes());
}

/// Something that is due again and again.
class timer {
 public:
  bool due(instant now) const { return next_ && now >= *next_; }
  void set(instant now, std::uint64_t nanoseconds) {
    next_ = instant{now.nanoseconds + nanoseconds};
  }
  bool is_set() const { return next_.has_value(); }
  instant next() const { return *next_; }

 private:
  std::optional<instant> next_;
};

/// Asks for wake-ups one at a time, and only while threads live: a program that has ended is not
/// kept alive by its mechanism.
class alarm_clock {
 public:
  void thread_started() { ++live_threads_; }
  void thread_ended() { --live_threads_; }
  std::size_t live_threads() const { return live_threads_; }
  void woken() { asleep_ = false; }
  void sleep_until(instant when, world& where) {
    if (asleep_ || live_threads_ == 0) return;
    where.wake_up_at(when);
    asleep_ = true;
  }

 private:
  std::size_t live_threads_ = 0;
  bool asleep_ = false;  ///< a wake-up is asked for
};

/// The node of a thread's event: that of the PU whose TLB it was, else of the PU where the thread
/// runs now; nullopt in a world without a machine.
inline std::optional<node_id> node_of_event(std::optional<pu_id> pu, thread_id thread,
                                            const world& where) {
  if (where.machine() == nullptr) return std::nullopt;
  if (!pu) pu = where.pu_of(thread);
  if (!pu) return std::nullopt;
  return where.machine()->node_of(*pu);
}

}  // namespace numatch
