// SPDX-License-Identifier: Apache-2.0
#include "other_index.hpp"

#ifdef VSEARCH_WITH_HNSWLIB
#include <hnswlib/hnswlib.h>

#include <thread>
#endif

namespace vsearch {

#ifdef VSEARCH_WITH_HNSWLIB

namespace {

class hnsw : public other_index {
 public:
  hnsw(const vector_set& base, std::size_t threads)
      : threads_(std::max<std::size_t>(threads, 1)),
        space_(base.dimension()),
        index_(&space_, base.size(), 16, 200, 1) {
    for (std::size_t i = 0; i < base.size(); ++i) index_.addPoint(base[i].data(), i);
  }
  void set_effort(std::size_t candidates) override { index_.setEf(candidates); }
  found_numbers search(const vector_set& queries, std::size_t k) override {
    found_numbers found(queries.size());
    const auto every = [&](std::size_t first) {
      for (std::size_t q = first; q < queries.size(); q += threads_) {
        auto nearest = index_.searchKnn(queries[q].data(), k);
        for (; !nearest.empty(); nearest.pop()) {
          found[q].push_back(static_cast<long>(nearest.top().second));
        }
      }
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads_; ++t) others.emplace_back(every, t);
    every(0);
    for (std::thread& other : others) other.join();
    return found;
  }

 private:
  std::size_t threads_;
  hnswlib::L2Space space_;
  hnswlib::HierarchicalNSW<float> index_;
};

}  // namespace

std::unique_ptr<other_index> make_hnsw(const vector_set& base, std::size_t threads) {
  return std::make_unique<hnsw>(base, threads);
}

#else

std::unique_ptr<other_index> make_hnsw(const vector_set&, std::size_t) {
  return nullptr;
}

#endif

}  // namespace vsearch
