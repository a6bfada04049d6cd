// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "timewarp/model.hpp"

namespace timewarp {

/// Which of some objects has the earliest event: a tree of minima over their times.
class schedule {
 public:
  void assign(const std::vector<ticks>& times) {
    count_ = times.size();
    least_.assign(2 * count_, 0);
    std::copy(times.begin(), times.end(), least_.begin() + static_cast<std::ptrdiff_t>(count_));
    for (std::size_t node = count_; node-- > 1;) refresh(node);
  }

  void set(std::size_t which, ticks time) {
    least_[count_ + which] = time;
    for (std::size_t node = (count_ + which) / 2; node > 0; node /= 2) refresh(node);
  }

  bool empty() const { return count_ == 0; }
  /// Of all objects; there has to be one.
  ticks earliest() const { return least_[1]; }
  /// Whose event that is.
  std::size_t earliest_object() const {
    std::size_t node = 1;
    while (node < count_) node = 2 * node + (least_[2 * node] == least_[node] ? 0 : 1);
    return node - count_;
  }

 private:
  void refresh(std::size_t node) {
    least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
  }

  std::size_t count_ = 0;
  std::vector<ticks> least_;  ///< node n has the children 2n and 2n + 1; the root is 1
};

}  // namespace timewarp
