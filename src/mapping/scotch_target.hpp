// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>
// scotch.h needs FILE and fixed-width integers before it.
#include <scotch.h>

#include "mapping/mapper.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch {

/// The PUs of a tree as Scotch's target architecture.
///
/// Where the distances follow the tree it is Scotch's weighted tree ("tleaf"), cut down to the PUs
/// that are used when the tree is uneven ("sub"). Where they do not, up to `most_explicit_pus` PUs
/// become a decomposition with explicit distances ("deco"); larger machines get the tree with the
/// mean distance of each level.
class scotch_target {
 public:
  static constexpr std::size_t most_explicit_pus = 512;

  scotch_target();
  scotch_target(const scotch_target&) = delete;
  scotch_target& operator=(const scotch_target&) = delete;
  ~scotch_target();

  /// Not thread safe: the caller holds the lock of the library.
  result<void> build(const topology& machine, const distance_table& distances, const pu_tree& tree);

  SCOTCH_Arch* get() { return uses_part_ ? &part_ : &whole_; }
  /// The PU of one of Scotch's terminal numbers.
  pu_id pu_of(SCOTCH_Num terminal) const { return pu_of_[static_cast<std::size_t>(terminal)]; }
  /// Distances follow the tree: equal parts of the machine may be swapped.
  bool follows_tree() const { return follows_tree_; }
  /// The greatest distance in Scotch's whole numbers, for the scale of the edge weights.
  double greatest_distance() const { return greatest_; }
  /// Scotch finds a terminal of a "deco" target by its number wrongly (7.0.3 returns the one
  /// before), which only plain recursive bipartitioning never does.
  bool recursive_only() const { return recursive_only_; }

 private:
  result<void> build_tree(const topology& machine, const std::vector<double>& cost,
                          const pu_tree& tree);
  result<void> build_explicit(const distance_table& distances, const pu_tree& tree);

  SCOTCH_Arch whole_;
  SCOTCH_Arch part_;
  bool uses_part_ = false;
  bool recursive_only_ = false;
  bool follows_tree_ = false;
  double greatest_ = 1;
  std::vector<SCOTCH_Num> arities_;
  std::vector<SCOTCH_Num> links_;
  std::vector<SCOTCH_Num> leaves_;
  std::vector<pu_id> pu_of_;
};

}  // namespace numatch
