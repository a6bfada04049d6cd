// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace numatch::engine {

/// The best of the placements that starts have led to, each cost once, the lowest first; and how
/// many starts ended at the lowest. Where several do, little is left to find; where each ends
/// elsewhere, much.
class best_starts {
 public:
  /// For placements of `vertices`; allocates for one.
  explicit best_starts(std::size_t vertices);

  /// Forgets all; from now on up to `most` >= 1 are kept. Allocates where that is more than ever.
  void begin(std::size_t most);
  void add(std::int64_t cost, std::span<const std::uint32_t> vertex_at);

  std::size_t size() const { return size_; }
  std::int64_t cost(std::size_t place) const { return kept_[place].cost; }
  std::span<const std::uint32_t> vertex_at(std::size_t place) const {
    return kept_[place].vertex_at;
  }
  /// Starts that ended at the lowest cost.
  std::size_t agreeing() const { return agreeing_; }

 private:
  struct placement {
    std::int64_t cost = 0;
    std::vector<std::uint32_t> vertex_at;
  };
  std::size_t vertices_ = 0;
  std::size_t most_ = 1;
  std::size_t size_ = 0;
  std::size_t agreeing_ = 0;
  std::vector<placement> kept_;
};

}  // namespace numatch::engine
