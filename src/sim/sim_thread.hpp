// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/flat_table.hpp"
#include "sim/program.hpp"

namespace numatch::sim {

/// A thread of the simulated program.
struct sim_thread {
  enum class state : std::uint8_t {
    unplaced,  ///< has not reached its first access
    ready,     ///< runs, or waits for its PU
    blocked,   ///< waits for releases of `object` before `stamp`
    ended,
  };
  static constexpr std::uint32_t no_pu = ~std::uint32_t{0};

  std::unique_ptr<program_thread> stream;
  piece current;
  std::uint64_t used = 0;  ///< accesses of the current piece that are done
  state now = state::unplaced;
  std::uint64_t clock = 0;
  std::uint32_t pu = no_pu;
  std::uint64_t object = 0;
  std::uint64_t stamp = 0;
  bool started = false;  ///< the mechanism knows it
  /// Average stall of an access in the phases before, in 1/256 cycles: what the order of references
  /// inside a phase is estimated with.
  std::uint64_t stall_share = 0;
  std::uint64_t slice_begin = 0;       ///< clock at which it got its PU
  std::vector<std::uint32_t> allowed;  ///< PUs that the program itself bound it to; empty: all

  std::uint64_t instructions = 0;
  std::uint64_t accesses = 0;
  std::uint64_t running = 0;        ///< cycles
  std::uint64_t until_sample = 0;   ///< misses of private caches; 0: none is set yet
  std::uint64_t sample_random = 0;  ///< what the gaps between samples are drawn from
  std::uint64_t charged = 0;        ///< cycles of the system that it still has to pay
  /// Pages that it has seen through its own page-table view.
  flat_table<bool> view;
  std::optional<error> problem;
};

/// Instructions of a piece before its access number k.
inline std::uint64_t instructions_before(const piece& of, std::uint64_t k) {
  const std::uint64_t count = of.accesses.size();
  if (of.instructions == count) return k;
  return of.instructions / count * k + of.instructions % count * k / count;
}

}  // namespace numatch::sim
