// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "measure.hpp"
#include "other_index.hpp"
#include "rows.hpp"
#include "search_engine.hpp"

namespace bench {

namespace {

constexpr std::size_t turns = 5;
constexpr std::size_t lists = 256;
constexpr double wanted_recall = 0.99;
constexpr double least_of_faiss = 0.8;
constexpr std::size_t most_effort = 1024;

/// Our own index behind the same interface: one part on one node with one thread.
class own_ivf : public vsearch::other_index {
 public:
  explicit own_ivf(const vsearch::vector_set& base)
      : nodes_(numatch::topology::parse("node:1 core:1 pu:1")), base_(base) {}
  void set_effort(std::size_t probes) override {
    vsearch::engine_options options;
    options.index = vsearch::index_kind::ivf;
    options.ivf.lists = lists;
    options.ivf.probes = probes;
    engine_ = vsearch::make_engine(nodes_, base_, options);
  }
  vsearch::found_numbers search(const vsearch::vector_set& queries, std::size_t k) override {
    return vsearch::numbers_of(engine_->search(queries, k));
  }

 private:
  numatch::runtime nodes_;
  const vsearch::vector_set& base_;
  std::unique_ptr<vsearch::search_engine> engine_;
};

struct contestant {
  const char* name;
  const char* effort_is;
  std::unique_ptr<vsearch::other_index> index;
  std::size_t effort = 1;
  double recall = 0;
  std::vector<double> seconds;
};

/// The least effort, doubled from 1 and then halved in between, that finds enough.
void reach(contestant& one, const vsearch::vector_set& queries, std::size_t k,
           const vsearch::answers& truth) {
  const auto enough = [&](std::size_t effort) {
    one.effort = effort;
    one.index->set_effort(effort);
    one.recall = vsearch::recall_of(one.index->search(queries, k), truth);
    return one.recall >= wanted_recall;
  };
  std::size_t high = 1;
  while (!enough(high) && high < most_effort) high *= 2;
  std::size_t low = high / 2;  // too little
  while (low + 1 < high) {
    const std::size_t middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  enough(high);
}

}  // namespace

void indexes() {
  constexpr std::size_t k = 20;
  const vsearch::made_data data = vsearch::generate(50000, 500, 128, 1);
  numatch::runtime alone(numatch::topology::parse("node:1 core:1 pu:1"));
  const vsearch::answers truth =
      vsearch::make_engine(alone, data.base, {})->search(data.queries, k);

  std::vector<contestant> all;
  all.push_back({"numatch, IVF-flat", "probes", std::make_unique<own_ivf>(data.base), 1, 0, {}});
  if (std::unique_ptr<vsearch::other_index> faiss = vsearch::make_faiss_ivf(data.base, lists, 1)) {
    all.push_back({"faiss, IVF-flat", "probes", std::move(faiss), 1, 0, {}});
  } else {
    std::printf("faiss is left out: libfaiss-dev was not there when this was built\n");
  }
  if (std::unique_ptr<vsearch::other_index> hnsw = vsearch::make_hnsw(data.base, 1)) {
    all.push_back({"hnswlib, M 16", "ef", std::move(hnsw), 1, 0, {}});
  } else {
    std::printf("hnswlib is left out: libhnswlib-dev was not there when this was built\n");
  }
  for (contestant& one : all) reach(one, data.queries, k, truth);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (contestant& one : all) {
      one.seconds.push_back(taken(cpu_seconds, [&] { one.index->search(data.queries, k); }));
    }
  }
  std::printf(
      "one thread, 50000 vectors of 128 dimensions, %zu lists, recall@%zu of %.2f and more; "
      "measured\n",
      lists, k, wanted_recall);
  const auto rate = [&](const contestant& one) {
    return static_cast<double>(data.queries.size()) / least(one.seconds);
  };
  for (const contestant& one : all) {
    std::printf("  %-18s %7.0f queries/cpu-s, recall %.4f, %s %zu\n", one.name, rate(one),
                one.recall, one.effort_is, one.effort);
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double ratio = rate(all[0]) / rate(all[i]);
    std::printf("  over %s: %.2f", all[i].name, ratio);
    if (all[i].name[0] == 'f') {
      std::printf(", target %.1f: %s", least_of_faiss, judge(ratio >= least_of_faiss));
    }
    std::printf("\n");
  }
}

}  // namespace bench
