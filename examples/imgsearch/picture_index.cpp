// SPDX-License-Identifier: Apache-2.0
#include "picture_index.hpp"

#include <algorithm>
#include <cmath>

#include "earth_movers.hpp"

namespace imgsearch {

using vsearch::nearest;
using vsearch::neighbour;

picture_index::picture_index(const search_rules& rules, collection pictures, memory* from)
    : radius_(rules.parameters.radius),
      farthest_(rules.parameters.farthest),
      pictures_(std::move(pictures)),
      picture_of_(from),
      segments_(rules.family, pictures_.take_segments(), from) {
  picture_of_.reserve(segments_.vectors().size());
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    picture_of_.insert(picture_of_.end(), pictures_.weights(i).size(),
                       static_cast<std::uint32_t>(i));
  }
}

picture_index::prepared picture_index::prepare(const search_rules& rules, const signature& query) {
  prepared buckets;
  for (std::size_t s = 0; s < query.segments.size(); ++s) {
    buckets.push_back(vsearch::lsh_index::prepare(rules.family, query.segments[s]));
  }
  return buckets;
}

std::vector<neighbour> picture_index::search(const prepared& buckets, const signature& query,
                                             std::size_t k) const {
  std::vector<std::uint32_t> candidates;
  for (std::size_t s = 0; s < query.segments.size(); ++s) {
    for (const std::uint32_t segment :
         segments_.within(buckets[s], query.segments[s], radius_ * radius_)) {
      candidates.push_back(picture_of_[segment]);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  nearest best(k);
  for (const std::uint32_t picture : candidates) {
    best.offer({distance_to(query, picture), pictures_.number(picture)});
  }
  return std::move(best).sorted();
}

std::vector<neighbour> picture_index::search_all(const signature& query, std::size_t k) const {
  nearest best(k);
  for (std::size_t picture = 0; picture < pictures_.size(); ++picture) {
    best.offer({distance_to(query, picture), pictures_.number(picture)});
  }
  return std::move(best).sorted();
}

float picture_index::distance_to(const signature& query, std::size_t picture) const {
  const std::span<const float> weights = pictures_.weights(picture);
  const std::size_t first = pictures_.first_segment(picture);
  std::vector<float> ways;
  ways.reserve(query.weights.size() * weights.size());
  for (std::size_t s = 0; s < query.weights.size(); ++s) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const float squared = vsearch::distance(query.segments[s], segments_.vectors()[first + i]);
      ways.push_back(std::min(std::sqrt(squared), farthest_));
    }
  }
  return static_cast<float>(
      earth_movers_distance(query.weights, {weights.begin(), weights.end()}, ways));
}

}  // namespace imgsearch
