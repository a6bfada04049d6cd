// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/best_starts.hpp"

#include <algorithm>

namespace numatch::engine {

best_starts::best_starts(std::size_t vertices) : vertices_(vertices) {
  begin(1);
}

void best_starts::begin(std::size_t most) {
  most_ = most;
  size_ = 0;
  agreeing_ = 0;
  while (kept_.size() < most) {
    kept_.emplace_back().vertex_at.resize(vertices_);
  }
}

void best_starts::add(std::int64_t cost, std::span<const std::uint32_t> vertex_at) {
  std::size_t place = 0;
  while (place < size_ && kept_[place].cost < cost) ++place;
  if (place < size_ && kept_[place].cost == cost) {
    agreeing_ += place == 0 ? 1 : 0;
    return;
  }
  if (place == most_) return;
  if (place == 0) agreeing_ = 1;
  size_ = std::min(size_ + 1, most_);
  const auto at = [&](std::size_t p) { return kept_.begin() + static_cast<std::ptrdiff_t>(p); };
  std::rotate(at(place), at(size_ - 1), at(size_));
  kept_[place].cost = cost;
  std::copy(vertex_at.begin(), vertex_at.end(), kept_[place].vertex_at.begin());
}

}  // namespace numatch::engine
