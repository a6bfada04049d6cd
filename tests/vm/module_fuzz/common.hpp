// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fuzz {

/// What was done; each must have worked at least once.
enum class kind {
  open,
  info,
  start,
  stop,
  trace,
  zap,
  stats,
  snapshot,
  map,
  poll,
  count,
};
constexpr std::size_t kinds = static_cast<std::size_t>(kind::count);
constexpr std::array<const char*, kinds> names{"open", "info",  "start",    "stop", "trace",
                                               "zap",  "stats", "snapshot", "map",  "poll"};

constexpr std::size_t most_victims = 6;

/// In memory that all processes share.
struct common {
  std::array<std::atomic<std::uint64_t>, kinds> tried{};
  std::array<std::atomic<std::uint64_t>, kinds> worked{};
  std::atomic<std::uint64_t> actions{0};
  std::array<std::atomic<pid_t>, most_victims> victims{};

  void note(kind what, bool well) {
    ++tried[static_cast<std::size_t>(what)];
    if (well) ++worked[static_cast<std::size_t>(what)];
  }
};

}  // namespace fuzz
