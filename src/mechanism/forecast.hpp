// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "mechanism/sampled_pages.hpp"

namespace numatch {

/// How far the past of a page tells its future, learned from the program itself: every new sample
/// of a page is first compared with what the samples before said. Pages are of a class by the
/// number of their samples, by how far the leading node is ahead of the node where the page is, and
/// by whether that node has a past with the page at all. Where all threads use all pages alike, or
/// in turns, a lead means nothing, and the forecast says so.
class forecast {
 public:
  /// A sample from `user` of a page at `present`, whose samples before it were `before`.
  void note(const node_lead& before, node_id present, node_id user, double weight);

  /// By how much the share of a page's next uses that comes from its lead is above the share that
  /// comes from where it is; a careful estimate, that is two standard deviations lower than what
  /// was seen. 0 or less: nothing is to be expected of a move.
  double advantage(const node_lead& lead) const;

  /// What was learned gives way to what is to come, in classes where enough was.
  void age();

 private:
  struct tally {
    double trials = 0;
    double at_lead = 0;
    double at_present = 0;
  };
  static constexpr std::size_t counts = 3;
  static constexpr std::size_t margins = 4;
  static std::size_t class_of(const node_lead& lead);

  std::array<tally, counts * margins * 2> tallies_{};
};

}  // namespace numatch
