// SPDX-License-Identifier: Apache-2.0
#include "ivf_index.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "draws.hpp"

namespace vsearch {

ivf_centres::ivf_centres(const vector_source& vectors, const ivf_parameters& parameters,
                         memory* from)
    : parameters_(parameters), dimension_(vectors.dimension()), values_(from) {
  parameters_.lists = std::clamp<std::size_t>(parameters_.lists, 1, vectors.size());
  std::vector<std::size_t> chosen(vectors.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  draws draw(parameters_.seed);
  const std::size_t wanted = std::min(vectors.size(), parameters_.lists * parameters_.sample);
  vector_set sample(dimension_);
  sample.reserve(wanted);
  std::vector<float> one(dimension_);
  for (std::size_t i = 0; i < wanted; ++i) {
    std::swap(chosen[i], chosen[i + draw.below(chosen.size() - i)]);
    vectors.read(chosen[i], one);
    sample.add(one);
  }
  for (std::size_t c = 0; c < size(); ++c) {
    values_.insert(values_.end(), sample[c].begin(), sample[c].end());
  }
  for (std::size_t round = 0; round < parameters_.rounds; ++round) {
    std::vector<double> sums(values_.size(), 0);
    std::vector<std::size_t> members(size(), 0);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const std::size_t c = nearest_to(sample[i]);
      ++members[c];
      for (std::size_t d = 0; d < dimension_; ++d) sums[c * dimension_ + d] += sample[i][d];
    }
    for (std::size_t c = 0; c < size(); ++c) {
      if (members[c] == 0) continue;  // stays where it is
      for (std::size_t d = 0; d < dimension_; ++d) {
        values_[c * dimension_ + d] =
            static_cast<float>(sums[c * dimension_ + d] / static_cast<double>(members[c]));
      }
    }
  }
}

ivf_centres::ivf_centres(const ivf_centres& other, std::pmr::polymorphic_allocator<> from)
    : parameters_(other.parameters_), dimension_(other.dimension_), values_(other.values_, from) {}

std::size_t ivf_centres::nearest_to(std::span<const float> vector) const {
  std::size_t best = 0;
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t c = 0; c < size(); ++c) {
    const float here = distance(vector, centre(c));
    if (here < least) {
      least = here;
      best = c;
    }
  }
  return best;
}

std::vector<std::uint32_t> ivf_centres::probes_of(std::span<const float> query) const {
  nearest best(std::min(parameters_.probes, size()));
  for (std::size_t c = 0; c < size(); ++c) {
    best.offer({distance(query, centre(c)), static_cast<std::uint32_t>(c)});
  }
  std::vector<std::uint32_t> lists;
  for (const neighbour& one : std::move(best).sorted()) lists.push_back(one.number);
  return lists;
}

ivf_index::ivf_index(const ivf_centres& centres, const vector_set& vectors, memory* from)
    : dimension_(vectors.dimension()), starts_(from), numbers_(from), values_(from) {
  std::vector<std::uint32_t> list_of(vectors.size());
  starts_.assign(centres.size() + 1, 0);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    list_of[i] = static_cast<std::uint32_t>(centres.nearest_to(vectors[i]));
    ++starts_[list_of[i] + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  numbers_.resize(vectors.size());
  values_.resize(vectors.size() * dimension_);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::size_t place = next[list_of[i]]++;
    numbers_[place] = vectors.number(i);
    std::copy(vectors[i].begin(), vectors[i].end(),
              values_.begin() + static_cast<std::ptrdiff_t>(place * dimension_));
  }
}

std::vector<neighbour> ivf_index::search(const prepared& lists, std::span<const float> query,
                                         std::size_t k) const {
  nearest best(k);
  for (const std::uint32_t list : lists) {
    for (std::size_t at = starts_[list]; at < starts_[list + 1]; ++at) {
      const float here = distance(query, {values_.data() + at * dimension_, dimension_});
      if (here <= best.bound()) best.offer({here, numbers_[at]});
    }
  }
  return std::move(best).sorted();
}

}  // namespace vsearch
