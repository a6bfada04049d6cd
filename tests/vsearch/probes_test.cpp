// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lsh_probes.hpp"

namespace vsearch {
namespace {

const std::vector<float> below{0.1F, 0.45F, 0.7F};
const std::vector<float> above{0.9F, 0.55F, 0.3F};

float score(const perturbation& probe) {
  float sum = 0;
  for (std::size_t c = 0; c < probe.size(); ++c) {
    if (probe[c] < 0) sum += below[c] * below[c];
    if (probe[c] > 0) sum += above[c] * above[c];
  }
  return sum;
}

std::vector<perturbation> all_by_score() {
  std::vector<perturbation> all;
  for (int code = 0; code < 27; ++code) {
    const perturbation probe{static_cast<std::int8_t>(code % 3 - 1),
                             static_cast<std::int8_t>(code / 3 % 3 - 1),
                             static_cast<std::int8_t>(code / 9 - 1)};
    if (probe != perturbation{0, 0, 0}) all.push_back(probe);
  }
  std::sort(all.begin(), all.end(),
            [](const perturbation& a, const perturbation& b) { return score(a) < score(b); });
  return all;
}

TEST(LikeliestProbes, ComeInTheOrderOfTheirScores) {
  const std::vector<perturbation> truth = all_by_score();
  const std::vector<perturbation> probes = likeliest_probes(below, above, 10);
  ASSERT_EQ(probes.size(), 10u);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    EXPECT_FLOAT_EQ(score(probes[i]), score(truth[i])) << i;
  }
}

TEST(LikeliestProbes, AreAllDifferentAndEndWhenThereAreNoMore) {
  const std::vector<perturbation> probes = likeliest_probes(below, above, 1000);
  EXPECT_EQ(probes.size(), 26u);
  EXPECT_EQ(std::set<perturbation>(probes.begin(), probes.end()).size(), probes.size());
}

TEST(LikeliestProbes, NearestBorderComesFirst) {
  EXPECT_EQ(likeliest_probes(below, above, 1).front(), (perturbation{-1, 0, 0}));
}

}  // namespace
}  // namespace vsearch
