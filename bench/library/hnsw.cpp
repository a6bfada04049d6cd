// SPDX-License-Identifier: Apache-2.0
#include "other_indexes.hpp"

#ifdef NUMATCH_WITH_HNSWLIB
#include <hnswlib/hnswlib.h>
#endif

namespace bench {

#ifdef NUMATCH_WITH_HNSWLIB

namespace {

class hnsw : public other_index {
 public:
  explicit hnsw(const vsearch::vector_set& base)
      : space_(base.dimension()), index_(&space_, base.size(), 16, 200, 1) {
    for (std::size_t i = 0; i < base.size(); ++i) index_.addPoint(base[i].data(), i);
  }
  void set_effort(std::size_t candidates) override { index_.setEf(candidates); }
  found_numbers search(const vsearch::vector_set& queries, std::size_t k) override {
    found_numbers found;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::vector<long>& numbers = found.emplace_back();
      auto nearest = index_.searchKnn(queries[q].data(), k);
      for (; !nearest.empty(); nearest.pop()) {
        numbers.push_back(static_cast<long>(nearest.top().second));
      }
    }
    return found;
  }

 private:
  hnswlib::L2Space space_;
  hnswlib::HierarchicalNSW<float> index_;
};

}  // namespace

std::unique_ptr<other_index> make_hnsw(const vsearch::vector_set& base) {
  return std::make_unique<hnsw>(base);
}

#else

std::unique_ptr<other_index> make_hnsw(const vsearch::vector_set&) {
  return nullptr;
}

#endif

}  // namespace bench
