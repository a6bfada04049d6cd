// SPDX-License-Identifier: Apache-2.0
#include "mapping/tree_shapes.hpp"

#include <algorithm>

namespace numatch {

std::vector<std::vector<std::uint32_t>> shapes_of(const pu_tree& tree) {
  std::vector<std::vector<std::uint32_t>> shape(tree.levels());
  shape.back().assign(tree.size(), 0);
  for (std::size_t level = tree.levels() - 1; level-- > 0;) {
    const std::vector<std::uint32_t>& below = shape[level + 1];
    std::vector<std::vector<std::uint32_t>> known;
    for (const pu_tree::group& g : tree.groups(level)) {
      const auto first = below.begin() + tree.group_of(level + 1, g.first);
      const auto end = below.begin() + tree.group_of(level + 1, g.end - 1) + 1;
      std::vector<std::uint32_t> of_children(first, end);
      std::sort(of_children.begin(), of_children.end());
      const auto found = std::find(known.begin(), known.end(), of_children);
      shape[level].push_back(static_cast<std::uint32_t>(found - known.begin()));
      if (found == known.end()) known.push_back(std::move(of_children));
    }
  }
  return shape;
}

}  // namespace numatch
