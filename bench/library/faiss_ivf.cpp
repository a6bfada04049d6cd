// SPDX-License-Identifier: Apache-2.0
#include "other_indexes.hpp"

#ifdef NUMATCH_WITH_FAISS
#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <omp.h>
#endif

namespace bench {

#ifdef NUMATCH_WITH_FAISS

namespace {

class faiss_ivf : public other_index {
 public:
  faiss_ivf(const vsearch::vector_set& base, std::size_t lists)
      : coarse_(static_cast<faiss::Index::idx_t>(base.dimension())),
        index_(&coarse_, base.dimension(), lists) {
    omp_set_num_threads(1);
    const faiss::Index::idx_t count = static_cast<faiss::Index::idx_t>(base.size());
    index_.train(count, base[0].data());
    index_.add(count, base[0].data());
  }
  void set_effort(std::size_t probes) override { index_.nprobe = probes; }
  found_numbers search(const vsearch::vector_set& queries, std::size_t k) override {
    std::vector<float> distances(queries.size() * k);
    std::vector<faiss::Index::idx_t> numbers(queries.size() * k);
    index_.search(static_cast<faiss::Index::idx_t>(queries.size()), queries[0].data(),
                  static_cast<faiss::Index::idx_t>(k), distances.data(), numbers.data());
    found_numbers found;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(q * k);
      found.emplace_back(numbers.begin() + first,
                         numbers.begin() + first + static_cast<std::ptrdiff_t>(k));
    }
    return found;
  }

 private:
  faiss::IndexFlatL2 coarse_;
  faiss::IndexIVFFlat index_;
};

}  // namespace

std::unique_ptr<other_index> make_faiss_ivf(const vsearch::vector_set& base, std::size_t lists) {
  return std::make_unique<faiss_ivf>(base, lists);
}

#else

std::unique_ptr<other_index> make_faiss_ivf(const vsearch::vector_set&, std::size_t) {
  return nullptr;
}

#endif

}  // namespace bench
