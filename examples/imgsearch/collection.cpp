// SPDX-License-Identifier: Apache-2.0
#include "collection.hpp"

namespace imgsearch {

void collection::add(const signature& one) {
  for (std::size_t i = 0; i < one.segments.size(); ++i) segments_.add(one.segments[i]);
  weights_.insert(weights_.end(), one.weights.begin(), one.weights.end());
  ends_.push_back(static_cast<std::uint32_t>(weights_.size()));
}

}  // namespace imgsearch
