// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "mechanism/parameters.hpp"
#include "mechanism/world.hpp"

// What the policies of LAPT and SAMMU have in common.

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
    "act-on", "both", "", "what is moved: both, threads, pages or none", "docs/detectors.md"};

/// A whole number of milliseconds as nanoseconds.
inline std::uint64_t milliseconds(parameter_reader& read, std::string_view name) {
  return read.whole(name, 1, 1'000'000'000) * 1'000'000;
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
