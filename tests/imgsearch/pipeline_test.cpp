// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <gtest/gtest.h>

#include "library/executors.hpp"

namespace imgsearch {
namespace {

using vsearch::answers;
using vsearch::layout;

const scene_options small{64, 48, 11};

const drawn_scenes& base() {
  static const drawn_scenes made(small, 12, 1, 4);
  return made;
}

const drawn_scenes& queries() {
  static const drawn_scenes made(small, 8, 0, 1);
  return made;
}

answers search(numatch::runtime& nodes, const pipeline_options& options) {
  answers found;
  pipeline(nodes, base(), options)
      .search(queries(), [&](std::size_t query, const std::vector<vsearch::neighbour>& answer) {
        EXPECT_EQ(query, found.size());  // in the order of the queries
        found.push_back(answer);
      });
  return found;
}

const answers& flat() {
  static const answers found = [] {
    numatch::runtime alone(numatch::topology::parse("node:1 core:1 pu:1"));
    pipeline_options options;
    options.how = layout::flat;
    return search(alone, options);
  }();
  return found;
}

class Pipelines : public testing::TestWithParam<numatch::way> {
 protected:
  Pipelines()
      : nodes_(numatch::topology::parse(GetParam().shape), numatch::options_of(GetParam())) {}
  numatch::runtime nodes_;
};
INSTANTIATE_TEST_SUITE_P(All, Pipelines, testing::ValuesIn(numatch::all_ways()), numatch::name_of);

TEST_P(Pipelines, GiveTheSameAnswersToTheBitForEveryLayoutPartsAndBatch) {
  pipeline_options options;
  options.batch = 3;  // the last batch is not full
  for (const layout how : {layout::flat, layout::interleaved, layout::replicated}) {
    options.how = how;
    EXPECT_EQ(search(nodes_, options), flat());
  }
  options.how = layout::partitioned;
  for (const std::size_t parts : {1u, 2u, 4u, 8u}) {
    options.parts = parts;
    EXPECT_EQ(search(nodes_, options), flat()) << parts << " parts";
  }
}

TEST(Pipeline, FindsTheFamilyOfAPicture) {
  std::size_t right = 0;
  for (std::size_t q = 0; q < queries().size(); ++q) {
    ASSERT_FALSE(flat()[q].empty());
    right += base().family(flat()[q].front().number) == queries().family(q);
  }
  EXPECT_EQ(right, queries().size());
}

TEST(Pipeline, CandidatesHoldNearlyAllThatRankingEveryPictureFinds) {
  const pipeline_options options;
  const search_rules rules(options.search, std::pmr::get_default_resource());
  memory* const from = std::pmr::get_default_resource();
  const picture_index all(rules, base().slice(0, 1, from), from);
  constexpr std::size_t family = 4;
  double found = 0;
  for (std::size_t q = 0; q < queries().size(); ++q) {
    const signature asked = queries().described(q);
    found += vsearch::recall(all.search(picture_index::prepare(rules, asked), asked, family),
                             all.search_all(asked, family));
  }
  EXPECT_GE(found / static_cast<double>(queries().size()), 0.95);
}

TEST(Pipeline, APictureIsNearestToItself) {
  numatch::runtime nodes(numatch::topology::parse("node:2 core:1 pu:1"));
  pipeline_options options;
  options.k = 1;
  pipeline(nodes, base(), options)
      .search(base(), [](std::size_t query, const std::vector<vsearch::neighbour>& answer) {
        ASSERT_EQ(answer.size(), 1u);
        EXPECT_EQ(answer.front().number, query);
        EXPECT_EQ(answer.front().distance, 0);
      });
}

TEST(Pipeline, WhatCannotBeReadReachesTheCaller) {
  numatch::runtime nodes(numatch::topology::parse("node:2 core:1 pu:1"));
  EXPECT_THROW(pipeline(nodes, picture_files({"/nowhere/a.png", "/nowhere/b.png"}), {}),
               std::runtime_error);
}

}  // namespace
}  // namespace imgsearch
