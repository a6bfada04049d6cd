// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/flat_table.hpp"
#include "base/ids.hpp"
#include "mechanism/parameters.hpp"

namespace numatch::oracle {

/// How often each thread used each page: kept by thread, not by node, so that the counts stay right
/// when threads move.
class page_uses {
 public:
  struct thread_uses {
    std::uint32_t thread = 0;
    double uses = 0;
  };

  void add(page_number page, thread_id thread, std::uint64_t uses);
  void scale(double factor);

  /// Pages that were used since the last call, or all there are; in ascending order.
  std::vector<page_number> take_used(bool all);
  /// Threads in the order of their first use; empty for a page that nobody used.
  std::span<const thread_uses> of(page_number page) const;

 private:
  struct row {
    std::vector<thread_uses> threads;
    bool used_lately = false;
  };
  flat_table<std::uint32_t> row_of_;  ///< page to 1 + its row
  std::vector<row> rows_;
  std::vector<page_number> used_lately_;
  std::vector<page_number> pages_;  ///< by row
};

/// Pages move only if more than this share of their uses becomes local by it. The papers do not
/// say; at 0, pages that all nodes use alike follow whoever is ahead by a few uses, all to one
/// memory.
inline constexpr parameter page_gain_parameter{
    "page-gain", "0.1", "",
    "pages move only if more than this share of their accesses becomes local by it",
    "not said in the papers; 0 moves for any lead"};

/// The node whose threads use a page most (SAMMU section 3.1), the lowest of several; nullopt when
/// the page stays, because no more than `least_gain` (0..1) of its uses would become local, or
/// nobody uses it. `node_of_thread` has a node for every thread that runs somewhere, `by_node` one
/// place per node for the sums.
std::optional<node_id> better_node(std::span<const page_uses::thread_uses> uses,
                                   std::span<const std::optional<node_id>> node_of_thread,
                                   node_id present, double least_gain, std::span<double> by_node);

}  // namespace numatch::oracle
