// SPDX-License-Identifier: Apache-2.0
#include "lsh_index.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "draws.hpp"
#include "lsh_probes.hpp"

namespace vsearch {

lsh_family::lsh_family(std::size_t dimension, const lsh_parameters& parameters, memory* from)
    : dimension_(dimension), parameters_(parameters), directions_(from), offsets_(from) {
  draws draw(parameters.seed);
  directions_.resize(parameters.tables * parameters.functions * dimension);
  offsets_.resize(parameters.tables * parameters.functions);
  for (float& x : directions_) x = draw.normal();
  for (float& x : offsets_) x = static_cast<float>(draw.uniform()) * parameters.width;
}

lsh_family::lsh_family(const lsh_family& other, std::pmr::polymorphic_allocator<> from)
    : dimension_(other.dimension_),
      parameters_(other.parameters_),
      directions_(other.directions_, from),
      offsets_(other.offsets_, from) {}

void lsh_family::project(std::size_t number, std::span<const float> vector,
                         std::span<float> into) const {
  for (std::size_t f = 0; f < parameters_.functions; ++f) {
    const std::size_t function = number * parameters_.functions + f;
    const std::span<const float> direction(directions_.data() + function * dimension_, dimension_);
    into[f] = (offsets_[function] + product(direction, vector)) / parameters_.width;
  }
}

std::uint64_t lsh_family::key(std::span<const std::int32_t> slots) {
  std::uint64_t key = 0;
  for (const std::int32_t slot : slots) {
    key = (key ^ static_cast<std::uint32_t>(slot)) * 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
  }
  return key;
}

namespace {

void slots_of(std::span<const float> projected, std::span<std::int32_t> into) {
  for (std::size_t f = 0; f < projected.size(); ++f) {
    into[f] = static_cast<std::int32_t>(std::floor(projected[f]));
  }
}

/// Which members were seen in this search; one per thread, never cleared.
class seen_marks {
 public:
  void begin(std::size_t members) {
    if (marks_.size() < members) marks_.resize(members, 0);
    if (++search_ == 0) {  // after 2³² searches
      std::fill(marks_.begin(), marks_.end(), 0);
      search_ = 1;
    }
  }
  bool first_time(std::uint32_t member) {
    return std::exchange(marks_[member], search_) != search_;
  }

 private:
  std::vector<std::uint32_t> marks_;
  std::uint32_t search_ = 0;
};

}  // namespace

std::span<const std::uint32_t> lsh_index::table::bucket(std::uint64_t key) const {
  const std::pmr::vector<std::uint64_t>::const_iterator at =
      std::lower_bound(keys.begin(), keys.end(), key);
  if (at == keys.end() || *at != key) return {};
  const std::size_t b = static_cast<std::size_t>(at - keys.begin());
  return {members.data() + starts[b], starts[b + 1] - starts[b]};
}

lsh_index::lsh_index(const lsh_family& family, vector_set vectors, memory* from)
    : vectors_(std::move(vectors)), tables_(from) {
  const std::size_t functions = family.parameters().functions;
  std::vector<float> projected(functions);
  std::vector<std::int32_t> slots(functions);
  std::vector<std::vector<entry>> all(family.parameters().tables);
  for (std::vector<entry>& of_table : all) of_table.resize(vectors_.size());
  for (std::size_t i = 0; i < vectors_.size(); ++i) {
    for (std::size_t t = 0; t < all.size(); ++t) {
      family.project(t, vectors_[i], projected);
      slots_of(projected, slots);
      all[t][i] = {lsh_family::key(slots), static_cast<std::uint32_t>(i)};
    }
  }
  tables_.reserve(all.size());
  for (std::vector<entry>& of_table : all) {
    std::sort(of_table.begin(), of_table.end());
    tables_.emplace_back(table(from)).fill(of_table);
    of_table = {};
  }
}

void lsh_index::table::fill(const std::vector<entry>& sorted) {
  members.reserve(sorted.size());
  for (const auto& [key, member] : sorted) {
    if (keys.empty() || keys.back() != key) {
      keys.push_back(key);
      starts.push_back(static_cast<std::uint32_t>(members.size()));
    }
    members.push_back(member);
  }
  starts.push_back(static_cast<std::uint32_t>(members.size()));
}

lsh_index::prepared lsh_index::prepare(const lsh_family& family, std::span<const float> query) {
  prepared buckets;
  const std::size_t functions = family.parameters().functions;
  std::vector<float> projected(functions);
  std::vector<float> below(functions);
  std::vector<float> above(functions);
  std::vector<std::int32_t> slots(functions);
  for (std::size_t t = 0; t < family.parameters().tables; ++t) {
    family.project(t, query, projected);
    slots_of(projected, slots);
    buckets.keys.push_back(lsh_family::key(slots));
    for (std::size_t f = 0; f < functions; ++f) {
      below[f] = projected[f] - static_cast<float>(slots[f]);
      above[f] = 1 - below[f];
    }
    for (const perturbation& probe : likeliest_probes(below, above, family.parameters().probes)) {
      for (std::size_t f = 0; f < functions; ++f) slots[f] += probe[f];
      buckets.keys.push_back(lsh_family::key(slots));
      for (std::size_t f = 0; f < functions; ++f) slots[f] -= probe[f];
    }
    buckets.ends.push_back(buckets.keys.size());
  }
  return buckets;
}

template <class Visit>
void lsh_index::for_each_candidate(const prepared& buckets, Visit visit) const {
  thread_local seen_marks seen;
  seen.begin(vectors_.size());
  std::size_t at = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    for (; at < buckets.ends[t]; ++at) {
      for (const std::uint32_t member : tables_[t].bucket(buckets.keys[at])) {
        if (seen.first_time(member)) visit(member);
      }
    }
  }
}

std::vector<neighbour> lsh_index::search(const prepared& buckets, std::span<const float> query,
                                         std::size_t k) const {
  nearest best(k);
  for_each_candidate(buckets, [&](std::uint32_t member) {
    best.offer({distance(query, vectors_[member]), vectors_.number(member)});
  });
  return std::move(best).sorted();
}

std::vector<std::uint32_t> lsh_index::within(const prepared& buckets, std::span<const float> query,
                                             float farthest) const {
  std::vector<std::uint32_t> found;
  for_each_candidate(buckets, [&](std::uint32_t member) {
    if (distance(query, vectors_[member]) <= farthest) found.push_back(member);
  });
  return found;
}

}  // namespace vsearch
