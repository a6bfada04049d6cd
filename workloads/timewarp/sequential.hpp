// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "timewarp/model.hpp"

namespace timewarp {

struct sequential_result {
  std::vector<cell_state> cells;
  std::uint64_t events = 0;
};

/// The model without Time Warp: one queue, one event after the other in the order of their keys.
inline sequential_result run_sequentially(const model& of) {
  const auto later = [](const message& a, const message& b) { return b.key < a.key; };
  std::priority_queue<message, std::vector<message>, decltype(later)> queue(later);
  sequential_result done;
  for (std::uint32_t cell = 0; cell < of.cells(); ++cell) {
    done.cells.push_back(of.first_state(cell));
    for (std::uint32_t i = 0; i < of.calls_per_cell; ++i) queue.push(of.first_call(cell, i));
  }
  while (!queue.empty() && queue.top().key.time < of.end) {
    const message next = queue.top();
    queue.pop();
    queue.push(of.arrive(done.cells[next.key.to], next));
    ++done.events;
  }
  return done;
}

}  // namespace timewarp
