// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "signature.hpp"

namespace imgsearch {

using vsearch::memory;

/// The signatures of many pictures: their segments one behind another. The pictures' numbers are
/// those of the whole collection, also in a part of it.
class collection {
 public:
  explicit collection(memory* from = std::pmr::get_default_resource(),
                      vsearch::numbering numbers = {})
      : numbers_(numbers), segments_(features, from), weights_(from), ends_(from) {}

  void add(const signature& one);
  std::size_t size() const { return ends_.size(); }
  std::uint32_t number(std::size_t picture) const {
    return static_cast<std::uint32_t>(numbers_.first + picture * numbers_.step);
  }
  /// All segments, for an index over them; none are left here.
  vsearch::vector_set take_segments() { return std::move(segments_); }
  std::span<const float> weights(std::size_t picture) const {
    return {weights_.data() + first_segment(picture), ends_[picture] - first_segment(picture)};
  }
  /// Picture i has the segments first_segment(i) and following, one for each of its weights.
  std::size_t first_segment(std::size_t picture) const {
    return picture == 0 ? 0 : ends_[picture - 1];
  }

 private:
  vsearch::numbering numbers_;
  vsearch::vector_set segments_;
  std::pmr::vector<float> weights_;
  std::pmr::vector<std::uint32_t> ends_;
};

}  // namespace imgsearch
