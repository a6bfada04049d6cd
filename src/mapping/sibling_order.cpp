// SPDX-License-Identifier: Apache-2.0
#include "mapping/sibling_order.hpp"

#include <algorithm>

namespace numatch {

namespace {

class sibling_sorter {
 public:
  sibling_sorter(thread_mapping& mapping, const topology& machine)
      : mapping_(mapping), machine_(machine), pu_of_leaf_(machine.pu_count()) {
    for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
      std::size_t leaf = 0;
      for (std::size_t l = 0; l < machine.depth(); ++l) {
        leaf = leaf * machine.arities()[l] + machine.path(pu_id(pu))[l];
      }
      pu_of_leaf_[leaf] = pu_id(pu);
    }
  }

  /// `threads` (ascending) lie under one object of `level`, whose new place is `place`.
  void sort(const std::vector<std::size_t>& threads, std::size_t level, std::size_t place) {
    if (level == machine_.depth()) {
      for (const std::size_t t : threads) mapping_.pu_of[t] = pu_of_leaf_[place];
      return;
    }
    std::vector<std::vector<std::size_t>> children(machine_.arities()[level]);
    for (const std::size_t t : threads) {
      children[machine_.path(mapping_.pu_of[t])[level]].push_back(t);
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
                       if (a.empty() || b.empty()) return !a.empty() && b.empty();
                       return a.front() < b.front();
                     });
    for (std::size_t c = 0; c < children.size() && !children[c].empty(); ++c) {
      sort(children[c], level + 1, place * machine_.arities()[level] + c);
    }
  }

 private:
  thread_mapping& mapping_;
  const topology& machine_;
  std::vector<pu_id> pu_of_leaf_;
};

}  // namespace

void order_siblings(thread_mapping& mapping, const topology& machine) {
  std::vector<std::size_t> all(mapping.pu_of.size());
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = t;
  sibling_sorter(mapping, machine).sort(all, 0, 0);
}

}  // namespace numatch
