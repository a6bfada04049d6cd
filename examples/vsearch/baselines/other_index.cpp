// SPDX-License-Identifier: Apache-2.0
#include "other_index.hpp"

#include <algorithm>

namespace vsearch {

double recall_of(const found_numbers& found, const answers& truth) {
  std::size_t hits = 0;
  std::size_t all = 0;
  for (std::size_t q = 0; q < truth.size(); ++q) {
    for (const neighbour& one : truth[q]) {
      ++all;
      hits += static_cast<std::size_t>(
          std::count(found[q].begin(), found[q].end(), static_cast<long>(one.number)));
    }
  }
  return all == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(all);
}

std::size_t same_answers(found_numbers a, found_numbers b) {
  std::size_t same = 0;
  for (std::size_t q = 0; q < std::min(a.size(), b.size()); ++q) {
    std::sort(a[q].begin(), a[q].end());
    std::sort(b[q].begin(), b[q].end());
    same += a[q] == b[q];
  }
  return same;
}

found_numbers numbers_of(const answers& found) {
  found_numbers all;
  for (const std::vector<neighbour>& one : found) {
    std::vector<long>& numbers = all.emplace_back();
    for (const neighbour& near : one) numbers.push_back(near.number);
  }
  return all;
}

}  // namespace vsearch
