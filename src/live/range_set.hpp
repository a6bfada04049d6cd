// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace numatch::live {

/// [first, end), in bytes.
struct byte_range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  friend constexpr bool operator==(const byte_range&, const byte_range&) = default;
};

/// Addresses, as ranges that are sorted and apart.
class range_set {
 public:
  /// What overlaps or touches is joined. Fast when ranges come in order.
  void add(byte_range more);
  void clear() { ranges_.clear(); }
  /// What of `asked` is in the set.
  std::vector<byte_range> parts_of(byte_range asked) const;
  /// What of `asked` is not.
  std::vector<byte_range> gaps_in(byte_range asked) const;
  const std::vector<byte_range>& ranges() const { return ranges_; }

 private:
  std::vector<byte_range> ranges_;
};

}  // namespace numatch::live
