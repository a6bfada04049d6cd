// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "mechanism/sampled_pages.hpp"

namespace numatch {

/// How far the past of a page tells its future, learned from the program itself: every new sample
/// of a page is first compared with what the samples before said. Pages are of a class by the
/// number of their samples and the leading node's share of them. Where all threads use all pages
/// alike, a lead means nothing, and the forecast says so.
class forecast {
 public:
  struct odds {
    double at_lead = 0;     ///< share of the next uses that comes from the leading node
    double at_present = 0;  ///< share that comes from the node where the page is
  };

  /// A sample from `user` of a page that was known.
  void note(const node_lead& before, node_id present, node_id user);
  /// What to expect of a page that lies elsewhere than its lead; with few trials, of nothing.
  odds of_moving(const node_lead& lead) const;
  /// What was learned counts less from now on.
  void age(double factor);

 private:
  struct tally {
    double trials = 0;
    double at_lead = 0;
    double at_present = 0;
  };
  static constexpr std::size_t counts = 6;
  static constexpr std::size_t shares = 4;
  static std::size_t class_of(const node_lead& lead);

  std::array<tally, counts * shares> tallies_{};
};

}  // namespace numatch
