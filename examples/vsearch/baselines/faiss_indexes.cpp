// SPDX-License-Identifier: Apache-2.0
#include "other_index.hpp"

#ifdef VSEARCH_WITH_FAISS
#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexShards.h>
#include <omp.h>
#endif

namespace vsearch {

#ifdef VSEARCH_WITH_FAISS

namespace {

using number = faiss::Index::idx_t;

/// An index of faiss whose searches use so many threads of OpenMP, whichever thread asks: the
/// number is kept per thread, and a part of IndexShards is asked by a thread of its own.
template <class Index>
class with_threads : public Index {
 public:
  template <class... Arguments>
  explicit with_threads(std::size_t threads, Arguments... arguments)
      : Index(arguments...), threads_(static_cast<int>(std::max<std::size_t>(threads, 1))) {}
  void search(number count, const float* queries, number k, float* distances, number* numbers,
              const faiss::SearchParameters* parameters) const override {
    omp_set_num_threads(threads_);
    Index::search(count, queries, k, distances, numbers, parameters);
  }

 private:
  int threads_;
};
using flat_index = with_threads<faiss::IndexFlatL2>;
using ivf_flat_index = with_threads<faiss::IndexIVFFlat>;

found_numbers search_in(const faiss::Index& index, const vector_set& queries, std::size_t k) {
  std::vector<float> distances(queries.size() * k);
  std::vector<number> numbers(queries.size() * k);
  index.search(static_cast<number>(queries.size()), queries[0].data(), static_cast<number>(k),
               distances.data(), numbers.data());
  found_numbers found;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(q * k);
    found.emplace_back(numbers.begin() + first,
                       numbers.begin() + first + static_cast<std::ptrdiff_t>(k));
  }
  return found;
}

/// Part `part` of vectors that are cut into so many pieces, one behind another.
void add_piece(faiss::Index& index, const vector_set& base, std::size_t part, std::size_t parts) {
  const std::size_t first = part * base.size() / parts;
  const std::size_t end = (part + 1) * base.size() / parts;
  if (end > first) index.add(static_cast<number>(end - first), base[first].data());
}

class faiss_flat : public other_index {
 public:
  faiss_flat(const vector_set& base, std::size_t parts, std::size_t threads)
      : shards_(static_cast<number>(base.dimension()), true, true) {
    for (std::size_t p = 0; p < parts; ++p) {
      parts_.push_back(
          std::make_unique<flat_index>(threads / parts, static_cast<number>(base.dimension())));
      add_piece(*parts_[p], base, p, parts);
      if (parts > 1) shards_.add_shard(parts_[p].get());
    }
  }
  void set_effort(std::size_t) override {}
  found_numbers search(const vector_set& queries, std::size_t k) override {
    if (parts_.size() == 1) return search_in(*parts_[0], queries, k);
    return search_in(shards_, queries, k);
  }

 private:
  std::vector<std::unique_ptr<flat_index>> parts_;
  faiss::IndexShards shards_;  // ends its threads before the parts end
};

class faiss_ivf : public other_index {
 public:
  faiss_ivf(const vector_set& base, std::size_t parts, std::size_t lists, std::size_t threads)
      : coarse_(static_cast<number>(base.dimension())),
        shards_(static_cast<number>(base.dimension()), true, true) {
    for (std::size_t p = 0; p < parts; ++p) {
      parts_.push_back(
          std::make_unique<ivf_flat_index>(threads / parts, &coarse_, base.dimension(), lists));
      // The first one learns the centres, the others find them there.
      parts_[p]->train(static_cast<number>(base.size()), base[0].data());
      add_piece(*parts_[p], base, p, parts);
      if (parts > 1) shards_.add_shard(parts_[p].get());
    }
  }
  void set_effort(std::size_t probes) override {
    for (const std::unique_ptr<ivf_flat_index>& part : parts_) part->nprobe = probes;
  }
  found_numbers search(const vector_set& queries, std::size_t k) override {
    if (parts_.size() == 1) return search_in(*parts_[0], queries, k);
    return search_in(shards_, queries, k);
  }

 private:
  faiss::IndexFlatL2 coarse_;
  std::vector<std::unique_ptr<ivf_flat_index>> parts_;
  faiss::IndexShards shards_;  // ends its threads before the parts end
};

}  // namespace

std::unique_ptr<other_index> make_faiss_flat(const vector_set& base, std::size_t threads) {
  return std::make_unique<faiss_flat>(base, 1, threads);
}
std::unique_ptr<other_index> make_faiss_ivf(const vector_set& base, std::size_t lists,
                                            std::size_t threads) {
  return std::make_unique<faiss_ivf>(base, 1, lists, threads);
}
std::unique_ptr<other_index> make_faiss_flat_shards(const vector_set& base, std::size_t parts,
                                                    std::size_t threads) {
  return std::make_unique<faiss_flat>(base, parts, threads);
}
std::unique_ptr<other_index> make_faiss_ivf_shards(const vector_set& base, std::size_t parts,
                                                   std::size_t lists, std::size_t threads) {
  return std::make_unique<faiss_ivf>(base, parts, lists, threads);
}

#else

std::unique_ptr<other_index> make_faiss_flat(const vector_set&, std::size_t) {
  return nullptr;
}
std::unique_ptr<other_index> make_faiss_ivf(const vector_set&, std::size_t, std::size_t) {
  return nullptr;
}
std::unique_ptr<other_index> make_faiss_flat_shards(const vector_set&, std::size_t, std::size_t) {
  return nullptr;
}
std::unique_ptr<other_index> make_faiss_ivf_shards(const vector_set&, std::size_t, std::size_t,
                                                   std::size_t) {
  return nullptr;
}

#endif

}  // namespace vsearch
