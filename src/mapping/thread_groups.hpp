// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/limits.hpp"

namespace numatch {

/// Groups of threads that grow from the PUs up, with what each pair of groups shares: the matrix is
/// aggregated when groups merge. Group numbers count from 0. Places without a thread count as
/// threads that share nothing. Size x size doubles.
class thread_groups {
 public:
  using part = std::vector<std::uint32_t>;  ///< numbers of groups that belong together

  /// A group per thread, and empty places up to `places`.
  thread_groups(const sharing_matrix& sharing, std::size_t places);

  std::size_t size() const { return members_.size(); }
  double between(std::size_t a, std::size_t b) const { return weight_[a * size() + b]; }
  std::span<const double> row(std::size_t group) const {
    return std::span(weight_).subspan(group * size(), size());
  }
  /// Threads and empty places of a group in order; numbers from the number of threads on are empty.
  const std::vector<std::uint32_t>& members(std::size_t group) const { return members_[group]; }

  /// One group for each part, members in the order of the part. Groups that are in no part are
  /// left out.
  thread_groups merged(const std::vector<part>& parts) const;

 private:
  thread_groups() = default;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<double> weight_;
};

/// How groups of threads become a mapping: the tree as places and arities.
struct group_plan {
  /// The places in the order of the tree; a leaf occurs as often as it may hold a thread. Filling
  /// them in any way keeps the limits where threads weigh the same and none is pinned.
  std::vector<std::uint32_t> leaf_of_place;
  /// Children that merge, from the places up to the root. Their product is the number of places on
  /// an even tree; an uneven one is halved again and again, and the product is the next power of 2.
  std::vector<std::size_t> arities;
};
group_plan plan_groups(const mapping_request& request, const pu_tree& tree,
                       const load_limits& limits);

/// How to put `arity` groups each together; the size of the groups is a multiple of arity.
using group_rule = std::vector<thread_groups::part> (*)(const thread_groups& groups,
                                                        std::size_t arity);

/// Groups by the rule on each level from the PUs up, lays the groups out on the machine, and makes
/// the mapping keep its limits (repair.hpp).
thread_mapping map_by_groups(const mapping_request& request, group_rule rule);

}  // namespace numatch
