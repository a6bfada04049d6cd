// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "sim/made_program.hpp"
#include "sim/reference/machine.hpp"
#include "sim/small_machines.hpp"

namespace numatch::sim {

inline constexpr std::uint64_t line_bytes = 64;
inline constexpr std::uint64_t page_bytes = 1024;

inline std::uint64_t line(std::uint64_t number) {
  return number * line_bytes;
}
/// A line of a page; under interleave the page is on node `page` modulo nodes.
inline std::uint64_t line(std::uint64_t page, std::uint64_t number) {
  return page * page_bytes + number * line_bytes;
}

using placing = ref::page_table::placing;

/// Thread i on PU i.
inline ref::outcome run_reference(const machine_config& config, const program& code,
                                  placing pages = placing::interleave) {
  std::vector<unsigned> pu_of(code.threads());
  std::iota(pu_of.begin(), pu_of.end(), 0U);
  ref::machine machine(config, pages);
  result<ref::outcome> ended = machine.run(code, pu_of);
  if (!ended) throw std::runtime_error(ended.error().message());
  return *ended;
}

/// An access that comes after all that were written down before it, whichever thread had them.
struct step {
  unsigned thread;
  trace::access access;
};

/// The steps one after the other: an acquire is one cycle after the end of the step before.
inline made_program in_turn(std::size_t threads, const std::vector<step>& steps) {
  made_program made(threads);
  for (const step& s : steps) {
    made.acquire(s.thread, 1);
    made.run(s.thread, {s.access});
    made.release(s.thread, 1);
  }
  return made;
}

inline std::uint64_t traffic_of(const run_result& counts, traffic why) {
  return counts.traffic_bytes[static_cast<std::size_t>(why)];
}

}  // namespace numatch::sim
