// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "library/executors.hpp"
#include "search_engine.hpp"

namespace vsearch {
namespace {

constexpr std::size_t k = 20;

const made_data& data() {
  static const made_data made = generate(4000, 20, 128, 7);
  return made;
}

engine_options options_for(index_kind index, layout how, std::size_t parts = 0) {
  engine_options options;
  options.index = index;
  options.how = how;
  options.parts = parts;
  options.ivf.lists = 32;
  return options;
}

answers search(numatch::runtime& nodes, const engine_options& options) {
  return make_engine(nodes, data().base, options)->search(data().queries, k);
}

const answers& flat(index_kind index) {
  static std::map<index_kind, answers> kept;
  if (!kept.contains(index)) {
    numatch::runtime alone(numatch::topology::parse("node:1 core:1 pu:1"));
    kept[index] = search(alone, options_for(index, layout::flat));
  }
  return kept[index];
}

double recall_of(const answers& found, const answers& truth) {
  double sum = 0;
  for (std::size_t q = 0; q < truth.size(); ++q) sum += recall(found[q], truth[q]);
  return sum / static_cast<double>(truth.size());
}

class Layouts : public testing::TestWithParam<numatch::way> {
 protected:
  Layouts() : nodes_(numatch::topology::parse(GetParam().shape), numatch::options_of(GetParam())) {}
  numatch::runtime nodes_;
};
INSTANTIATE_TEST_SUITE_P(All, Layouts, testing::ValuesIn(numatch::all_ways()), numatch::name_of);

TEST_P(Layouts, GiveTheSameAnswersToTheBit) {
  for (const index_kind index : {index_kind::exact, index_kind::lsh, index_kind::ivf}) {
    for (const layout how : {layout::flat, layout::interleaved, layout::replicated}) {
      EXPECT_EQ(search(nodes_, options_for(index, how)), flat(index));
    }
    for (const std::size_t parts : {1u, 2u, 4u, 8u}) {
      EXPECT_EQ(search(nodes_, options_for(index, layout::partitioned, parts)), flat(index))
          << parts << " parts";
    }
  }
}

TEST(Indexes, OwnersThatReadTheirPartsFromAFileFindTheSame) {
  const std::filesystem::path path = testing::TempDir() + "/numatch_layouts.fvecs";
  write_fvecs(data().base, path);
  numatch::runtime nodes(numatch::topology::parse("node:4 core:2 pu:1"));
  for (const index_kind index : {index_kind::exact, index_kind::lsh, index_kind::ivf}) {
    EXPECT_EQ(make_engine(nodes, *open_fvecs(path), options_for(index, layout::partitioned, 8))
                  ->search(data().queries, k),
              flat(index));
  }
  std::filesystem::remove(path);
}

TEST(Indexes, FindNearlyAllThatAnExactScanFindsAtTheirDefaults) {
  const made_data many = generate(20000, 20, 128, 7);
  numatch::runtime nodes(numatch::topology::parse("node:2 core:1 pu:1"));
  const auto found_by = [&](index_kind index) {
    engine_options options;
    options.index = index;
    return make_engine(nodes, many.base, options)->search(many.queries, k);
  };
  const answers truth = found_by(index_kind::exact);
  EXPECT_GE(recall_of(found_by(index_kind::lsh), truth), 0.99);
  EXPECT_GE(recall_of(found_by(index_kind::ivf), truth), 0.99);
}

TEST(Indexes, ExactIsSortedAndComplete) {
  for (const std::vector<neighbour>& found : flat(index_kind::exact)) {
    ASSERT_EQ(found.size(), k);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  }
}

TEST(Indexes, FewerVectorsThanWantedAreAllFound) {
  const made_data few = generate(5, 2, 16, 1);
  numatch::runtime nodes(numatch::topology::parse("node:4 core:1 pu:1"));
  for (const index_kind index : {index_kind::exact, index_kind::ivf}) {
    for (const std::vector<neighbour>& found :
         make_engine(nodes, few.base, options_for(index, layout::partitioned, 8))
             ->search(few.queries, k)) {
      EXPECT_EQ(found.size(), 5u);
    }
  }
}

}  // namespace
}  // namespace vsearch
