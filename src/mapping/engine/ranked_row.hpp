// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace numatch::engine {

/// A row of which the first greatest value is asked for again and again. Where few values change
/// between two questions (`in_blocks`), it keeps the greatest of every block.
class ranked_row {
 public:
  /// For up to `most` values.
  explicit ranked_row(std::size_t most);

  /// The values up to padded(count) can be written through data(); then begin().
  std::int32_t* data() { return values_.data(); }
  void begin(std::size_t count, bool in_blocks);

  std::int32_t at(std::size_t place) const { return values_[place]; }
  void add(std::size_t place, std::int32_t more) { put(place, values_[place] + more); }
  void put(std::size_t place, std::int32_t value) {
    const std::int32_t before = values_[place];
    values_[place] = value;
    if (!in_blocks_) return;
    std::int32_t& greatest = greatest_[place / block];
    if (value >= greatest) {
      greatest = value;
    } else if (before == greatest) {
      rank(place / block);
    }
  }
  std::uint32_t first_greatest() const;

 private:
  static constexpr std::size_t block = 64;
  void rank(std::size_t of_block);

  std::vector<std::int32_t> values_;
  std::vector<std::int32_t> greatest_;  ///< of each block; INT32_MIN beyond the last one
  std::size_t count_ = 0;
  bool in_blocks_ = false;
};

}  // namespace numatch::engine
