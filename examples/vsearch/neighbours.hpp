// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace vsearch {

/// A vector that is near a query. Equal distances are ordered by number, so that an answer does not
/// depend on who found it first.
struct neighbour {
  float distance = 0;
  std::uint32_t number = 0;
  friend auto operator<=>(const neighbour&, const neighbour&) = default;
};

/// The nearest k of all that are offered.
class nearest {
 public:
  explicit nearest(std::size_t k) : k_(k) { heap_.reserve(k); }

  /// Nothing farther can still enter.
  float bound() const {
    return heap_.size() < k_ ? std::numeric_limits<float>::infinity() : heap_.front().distance;
  }
  void offer(neighbour one) {
    if (heap_.size() < k_) {
      heap_.push_back(one);
      std::push_heap(heap_.begin(), heap_.end());
    } else if (one < heap_.front()) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = one;
      std::push_heap(heap_.begin(), heap_.end());
    }
  }
  /// The nearest first.
  std::vector<neighbour> sorted() && {
    std::sort_heap(heap_.begin(), heap_.end());
    return std::move(heap_);
  }

 private:
  std::size_t k_;
  std::vector<neighbour> heap_;
};

/// The nearest k of two sorted answers: associative, so any split of the data gives the same.
inline std::vector<neighbour> merge_nearest(const std::vector<neighbour>& a,
                                            const std::vector<neighbour>& b, std::size_t k) {
  std::vector<neighbour> both(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
  both.resize(std::min(k, both.size()));
  return both;
}

/// Which share of the true neighbours was found.
inline double recall(const std::vector<neighbour>& found, const std::vector<neighbour>& truth) {
  std::size_t hits = 0;
  for (const neighbour& one : truth) {
    hits += static_cast<std::size_t>(std::count(found.begin(), found.end(), one));
  }
  return truth.empty() ? 1 : static_cast<double>(hits) / static_cast<double>(truth.size());
}

}  // namespace vsearch
