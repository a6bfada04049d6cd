// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace numatch::control {

/// What a controller did at one moment.
enum class deed : std::uint8_t {
  stayed,      ///< nothing, and why says the reason
  moved,       ///< threads and pages were sent
  would_move,  ///< the same, without doing it (dry run)
  kept,        ///< what was moved has helped
  took_back    ///< what was moved has not helped
};
inline constexpr std::size_t deeds = 5;
std::string_view to_string(deed what);

struct decision {
  double seconds = 0;  ///< since the controller began
  deed what = deed::stayed;
  std::string why;
  std::size_t threads = 0;                 ///< that changed their node
  std::size_t pages = 0;                   ///< asked to move; for kept and took_back: that did
  double uses = 0;                         ///< seen, that it rests on
  double remote_before = 0;                ///< share of uses, sampled
  std::optional<double> remote_planned{};  ///< calculated
  std::optional<double> remote_after{};    ///< sampled
};

/// All decisions of a run together.
struct control_totals {
  std::array<std::uint64_t, deeds> decisions{};
  std::uint64_t uses = 0;
  std::uint64_t threads_moved = 0;
  std::uint64_t threads_refused = 0;  ///< that could not be bound
  std::uint64_t pages_moved = 0;
  std::uint64_t pages_taken_back = 0;
  std::optional<double> remote_first{};  ///< share of uses, sampled, at the first decision
  std::optional<double> remote_last{};   ///< at the last one
  std::string last_why;
};

using decision_log = std::function<void(const decision&)>;

}  // namespace numatch::control
