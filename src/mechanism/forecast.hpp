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
    double trials = 0;
    double at_lead = 0;     ///< share of the next uses that came from the leading node
    double at_present = 0;  ///< share that came from the node where the page was
    double written = 0;     ///< share that wrote to a page that only reads were seen of
  };

  /// A sample from `user` of a page that was known.
  void note(const node_lead& before, node_id present, node_id user, bool only_read, bool write);
  /// What to expect of a page that lies elsewhere than its lead; with few trials, of nothing.
  odds of_moving(const node_lead& lead) const;
  /// How often the next use of a page that was only read is a write.
  odds of_writing(const node_lead& lead) const;
  void age(double factor);

 private:
  struct tally {
    double trials = 0;
    double at_lead = 0;
    double at_present = 0;
    double written = 0;
  };
  static constexpr std::size_t counts = 6;
  static constexpr std::size_t shares = 4;
  static std::size_t class_of(const node_lead& lead);

  std::array<tally, counts * shares> moving_{};
  std::array<tally, counts * shares> writing_{};
};

}  // namespace numatch
