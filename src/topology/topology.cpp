// SPDX-License-Identifier: Apache-2.0
#include "topology/topology.hpp"

#include <algorithm>

namespace numatch {

unsigned topology::distance(pu_id a, pu_id b) const {
  const std::vector<unsigned>& way = path(a);
  const auto split = std::mismatch(way.begin(), way.end(), path(b).begin());
  return 2 * static_cast<unsigned>(way.end() - split.first);
}

}  // namespace numatch
