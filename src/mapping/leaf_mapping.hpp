// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch {

/// A mapping as leaves of a pu_tree, and back. leaf_of[thread] is pu_tree::no_leaf for a thread on
/// a PU that is not allowed.
inline std::vector<std::uint32_t> leaves_of(const thread_mapping& mapping, const pu_tree& tree) {
  std::vector<std::uint32_t> leaf_of;
  leaf_of.reserve(mapping.pu_of.size());
  for (const pu_id pu : mapping.pu_of) leaf_of.push_back(tree.leaf_of(pu));
  return leaf_of;
}

inline thread_mapping pus_of(const std::vector<std::uint32_t>& leaf_of, const pu_tree& tree) {
  thread_mapping mapping;
  mapping.pu_of.reserve(leaf_of.size());
  for (const std::uint32_t leaf : leaf_of) mapping.pu_of.push_back(tree.pu(leaf));
  return mapping;
}

}  // namespace numatch
