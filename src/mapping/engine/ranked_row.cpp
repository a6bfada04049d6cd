// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/ranked_row.hpp"

#include <algorithm>

#include "mapping/engine/rows.hpp"

namespace numatch::engine {

ranked_row::ranked_row(std::size_t most) {
  const std::size_t blocks = (padded(most) + block - 1) / block;
  values_.resize(padded(most));
  greatest_.resize(padded(blocks));
}

void ranked_row::begin(std::size_t count, bool in_blocks) {
  count_ = padded(count);
  in_blocks_ = in_blocks;
  if (!in_blocks_) return;
  const std::size_t blocks = (count_ + block - 1) / block;
  for (std::size_t b = 0; b < blocks; ++b) rank(b);
  std::fill(greatest_.begin() + static_cast<std::ptrdiff_t>(blocks),
            greatest_.begin() + static_cast<std::ptrdiff_t>(padded(blocks)), INT32_MIN);
}

void ranked_row::rank(std::size_t of_block) {
  const std::size_t first = of_block * block;
  const std::int32_t* const values = values_.data() + first;
  greatest_[of_block] = values[engine::first_greatest(values, std::min(block, count_ - first))];
}

std::uint32_t ranked_row::first_greatest() const {
  if (!in_blocks_) return engine::first_greatest(values_.data(), count_);
  const std::size_t blocks = (count_ + block - 1) / block;
  const std::uint32_t best = engine::first_greatest(greatest_.data(), padded(blocks));
  const std::size_t first = best * block;
  return static_cast<std::uint32_t>(first) +
         engine::first_greatest(values_.data() + first, std::min(block, count_ - first));
}

}  // namespace numatch::engine
