// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// What is simulated: calls that wander over the cells of a mobile network. A call stays in a cell
// for a while and then goes to one of the four neighbours or comes back; each arrival regulates the
// power of some channels of the cell. Where the crowd is, more of them: the crowd walks around the
// network, so no fixed share of cells keeps threads equally busy. The number of calls never
// changes, as in PHOLD (R. M. Fujimoto, "Performance of Time Warp Under Synthetic Workloads",
// 1990).

namespace timewarp {

using ticks = std::uint64_t;  ///< of simulated time; the first event is at 1

/// The total order of all events. Time comes first; the rest tells events of one time apart, and
/// is the same however the simulation is run.
struct event_key {
  ticks time = 0;
  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::uint64_t number = 0;  ///< of those that `from` has sent
  auto operator<=>(const event_key&) const = default;
};

struct message {
  event_key key;
  std::uint64_t call = 0;  ///< who calls
};

inline constexpr std::size_t channels = 240;

/// All that a cell knows: 2 KiB, saved and restored as a whole.
struct cell_state {
  std::uint64_t random = 0;
  std::uint64_t sent = 0;
  std::uint64_t arrivals = 0;
  std::uint64_t digest = 0;  ///< of all arrivals in their order
  std::array<std::uint64_t, channels> power{};
  bool operator==(const cell_state&) const = default;
};

/// splitmix64 (G. L. Steele and others, "Fast Splittable Pseudorandom Number Generators", 2014).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Cells lie on a torus; cell x * height + y is in column x.
struct model {
  std::uint32_t width = 16;
  std::uint32_t height = 8;
  std::uint32_t calls_per_cell = 2;  ///< at the start
  ticks end = 2000;                  ///< events before it happen
  ticks mean_stay = 100;
  ticks crowd_stay = 4000;      ///< … of the crowd, until it goes on by a column
  std::uint32_t calm = 8;       ///< channels that an arrival regulates
  std::uint32_t crowded = 480;  ///< … where the crowd is: each twice
  std::uint64_t seed = 1;

  std::uint32_t cells() const { return width * height; }

  cell_state first_state(std::uint32_t cell) const {
    cell_state state;
    state.random = mixed(seed ^ mixed(cell));
    return state;
  }

  /// A call that is there from the start.
  message first_call(std::uint32_t cell, std::uint32_t which) const {
    const std::uint64_t drawn = mixed(seed + mixed((std::uint64_t{cell} << 32) | which));
    return {{1 + drawn % (2 * mean_stay), cell, cell, which}, drawn};
  }

  /// The crowd is a sixth of the columns.
  bool is_crowded(std::uint32_t cell, ticks time) const {
    const std::uint32_t column = cell / height;
    const std::uint32_t crowd = static_cast<std::uint32_t>(time / crowd_stay);
    return (column + width - crowd % width) % width < (width + 5) / 6;
  }

  std::uint32_t regulated(std::uint32_t cell, ticks time) const {
    return is_crowded(cell, time) ? crowded : calm;
  }

  /// How long an event takes, measured in channels: queues and saved states take as long as about
  /// 200, because most of what they touch is in no cache.
  std::uint32_t work_of(std::uint32_t cell, ticks time) const {
    return 200 + regulated(cell, time);
  }

  std::uint32_t neighbour(std::uint32_t cell, std::uint64_t which) const {
    const std::uint32_t x = cell / height;
    const std::uint32_t y = cell % height;
    switch (which) {
      case 0:
        return (x + 1) % width * height + y;
      case 1:
        return (x + width - 1) % width * height + y;
      case 2:
        return x * height + (y + 1) % height;
      default:
        return x * height + (y + height - 1) % height;
    }
  }

  /// Lets a call arrive; the result is where and when it arrives next, always later.
  message arrive(cell_state& state, const message& call) const {
    const auto draw = [&] { return state.random = mixed(state.random); };
    ++state.arrivals;
    state.digest = mixed(state.digest ^ call.call ^ call.key.time);
    std::size_t channel = draw() % channels;
    for (std::uint32_t left = regulated(call.key.to, call.key.time); left > 0; --left) {
      state.power[channel] += state.digest >> (left % 32);
      channel = channel + 1 == channels ? 0 : channel + 1;
    }
    const std::uint64_t goes = draw() % 8;
    const std::uint32_t to = goes < 4 ? neighbour(call.key.to, goes) : call.key.to;
    const ticks stay = 1 + draw() % (2 * mean_stay - 1);
    // Calls that are there from the start have the first numbers.
    const std::uint64_t number = calls_per_cell + state.sent++;
    return {{call.key.time + stay, to, call.key.to, number}, mixed(call.call)};
  }
};

}  // namespace timewarp
