// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "beside.hpp"
#include "search_engine.hpp"

namespace vsearch {
namespace {

constexpr std::size_t k = 10;

const made_data& data() {
  static const made_data made = generate(3000, 25, 64, 3);
  return made;
}

const answers& truth() {
  static const answers exact = [] {
    numatch::runtime alone(numatch::topology::parse("node:1 core:1 pu:1"));
    return make_engine(alone, data().base, {})->search(data().queries, k);
  }();
  return exact;
}

#ifdef __SANITIZE_THREAD__
constexpr bool can_watch = false;  // OpenMP is not built for it
#else
constexpr bool can_watch = true;
#endif

/// Skips what this was built without.
class Baselines : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_watch) GTEST_SKIP() << "the thread sanitizer does not understand OpenMP";
    if (make_faiss_flat(data().base, 1) == nullptr) GTEST_SKIP() << "libfaiss-dev was not there";
  }
};

TEST_F(Baselines, AnExactScanFindsTheSameInOneAndInParts) {
  EXPECT_EQ(
      same_answers(make_faiss_flat(data().base, 1)->search(data().queries, k), numbers_of(truth())),
      data().queries.size());
  for (const std::size_t parts : {2u, 3u, 8u}) {
    EXPECT_EQ(same_answers(make_faiss_flat_shards(data().base, parts, 2)->search(data().queries, k),
                           numbers_of(truth())),
              data().queries.size())
        << parts;
  }
}

TEST_F(Baselines, PartsOfInvertedListsFindWhatTheWholeFinds) {
  const std::unique_ptr<other_index> whole = make_faiss_ivf(data().base, 32, 1);
  for (const std::size_t parts : {2u, 4u}) {
    const std::unique_ptr<other_index> shards = make_faiss_ivf_shards(data().base, parts, 32, 2);
    for (const std::size_t probes : {1u, 8u}) {
      whole->set_effort(probes);
      shards->set_effort(probes);
      EXPECT_EQ(same_answers(shards->search(data().queries, k), whole->search(data().queries, k)),
                data().queries.size())
          << parts << " parts, " << probes << " probes";
    }
  }
}

TEST_F(Baselines, MoreEffortFindsMore) {
  const std::unique_ptr<other_index> index = make_faiss_ivf(data().base, 32, 1);
  index->set_effort(1);
  const double little = recall_of(index->search(data().queries, k), truth());
  index->set_effort(32);
  EXPECT_LT(little, 1);
  EXPECT_EQ(recall_of(index->search(data().queries, k), truth()), 1);
}

TEST(Hnsw, FindsTheSameWithOneThreadAndWithSeveral) {
  const std::unique_ptr<other_index> alone = make_hnsw(data().base, 1);
  if (alone == nullptr) GTEST_SKIP() << "libhnswlib-dev was not there";
  const std::unique_ptr<other_index> several = make_hnsw(data().base, 3);
  alone->set_effort(100);
  several->set_effort(100);
  const found_numbers found = alone->search(data().queries, k);
  EXPECT_EQ(same_answers(found, several->search(data().queries, k)), data().queries.size());
  EXPECT_GE(recall_of(found, truth()), 0.9);
}

TEST(RecallOf, CountsNumbersInAnyOrder) {
  const answers exact{{{1, 10}, {2, 20}}, {{1, 30}, {2, 40}}};
  EXPECT_EQ(recall_of({{20, 10}, {40, 7}}, exact), 0.75);
  EXPECT_EQ(same_answers({{20, 10}, {40, 7}}, numbers_of(exact)), 1u);
}

TEST_F(Baselines, AreRunBesideAndToldWithWhoseAnswersTheyShare) {
  beside_options options;
  options.k = k;
  options.parts = 3;
  options.threads = 2;
  options.lists = 32;
  options.probes = 32;
  const std::vector<beside_row> rows = run_beside(data().base, data().queries, truth(), options);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1].name, "faiss, exact in 3 IndexShards");
  for (const beside_row& row : rows) {
    if (!row.built) continue;
    EXPECT_GE(row.recall, 0.9) << row.name;
    EXPECT_GT(row.queries_per_second, 0) << row.name;
    if (!row.compared_with.empty()) {
      EXPECT_EQ(row.same, data().queries.size()) << row.name;
    }
  }
}

}  // namespace
}  // namespace vsearch
