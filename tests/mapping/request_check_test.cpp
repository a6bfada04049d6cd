// SPDX-License-Identifier: Apache-2.0
#include "mapping/request_check.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "mapping/patterns.hpp"
#include "support/expect_text.hpp"

namespace numatch {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A sound request of four threads on four PUs, to be spoiled by a test.
class CheckRequest : public testing::Test {
 protected:
  sharing_matrix sharing = ring(4);
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table distances{where};
  mapping_request request{sharing, where, distances};

  std::string complaint() const {
    const result<void> checked = check_request(request);
    return checked ? "" : checked.error().message();
  }
  std::string complaint_about_weights(const std::vector<double>& weights) {
    request.weights = weights;
    return complaint();
  }
};

TEST_F(CheckRequest, ASoundOneIsFine) {
  const std::vector<pu_id> allowed{pu_id(3), pu_id(0)};
  const std::vector<std::optional<pu_id>> pins{pu_id(3), {}, pu_id(3), {}};
  const std::vector<double> weights{0.5, 1, 2, 1e9};
  const thread_mapping current{{pu_id(1), pu_id(1), pu_id(2), pu_id(0)}};
  request.allowed = allowed;
  request.pinned = pins;
  request.weights = weights;
  request.current = &current;
  request.move_cost = 3;
  EXPECT_EQ(complaint(), "");
}

TEST_F(CheckRequest, NobodyToMap) {
  sharing = sharing_matrix();
  EXPECT_TRUE(contains(complaint(), "there is no thread to map"));
}

TEST_F(CheckRequest, SharingThatIsNoNumber) {
  for (const double wrong : {-1.0, infinite, nan}) {
    sharing.set(1, 0, wrong);
    EXPECT_TRUE(contains(complaint(), "sharing matrix: row 1, column 0 is not a number >= 0"));
  }
}

TEST_F(CheckRequest, DistancesOfAnotherMachine) {
  const topology other = machine("numa:2 core:4 pu:1");
  EXPECT_TRUE(contains(check_request({sharing, other, distances}).error().message(),
                       "distances: they are for 4 PUs"));
}

TEST_F(CheckRequest, AllowedPusThatDoNotExist) {
  const std::vector<pu_id> allowed{pu_id(0), pu_id(4)};
  request.allowed = allowed;
  EXPECT_TRUE(contains(complaint(), "allowed PUs: there is no PU 4; "));
  EXPECT_TRUE(contains(complaint(), "has PUs 0 to 3"));
}

TEST_F(CheckRequest, AnAllowedPuTwice) {
  const std::vector<pu_id> allowed{pu_id(2), pu_id(0), pu_id(2)};
  request.allowed = allowed;
  EXPECT_TRUE(contains(complaint(), "allowed PUs: PU 2 is there twice"));
}

TEST_F(CheckRequest, PinsForAnotherNumberOfThreads) {
  const std::vector<std::optional<pu_id>> pins(3);
  request.pinned = pins;
  EXPECT_TRUE(contains(complaint(), "they are for 3 threads, the matrix has 4"));
}

TEST_F(CheckRequest, APinToAPuThatDoesNotExist) {
  const std::vector<std::optional<pu_id>> pins{{}, {}, pu_id(7), {}};
  request.pinned = pins;
  EXPECT_TRUE(contains(complaint(), "thread 2 is pinned to PU 7, which does not exist"));
}

TEST_F(CheckRequest, APinToAPuThatIsNotAllowed) {
  const std::vector<pu_id> allowed{pu_id(0), pu_id(1)};
  const std::vector<std::optional<pu_id>> pins{{}, pu_id(2), {}, {}};
  request.allowed = allowed;
  request.pinned = pins;
  EXPECT_TRUE(contains(complaint(), "thread 1 is pinned to PU 2, which is not allowed; allow"));
}

TEST_F(CheckRequest, WeightsThatWeighNothingOrTooMuch) {
  EXPECT_TRUE(contains(complaint_about_weights({1, 1, 1}), "there are 3 for 4 threads"));
  EXPECT_TRUE(contains(complaint_about_weights({1, 0, 1, 1}), "that of thread 1 is 0"));
  EXPECT_TRUE(contains(complaint_about_weights({1, 1, 1, -2}), "that of thread 3 is -2"));
  EXPECT_TRUE(contains(complaint_about_weights({infinite, 1, 1, 1}), "that of thread 0 is inf"));
  EXPECT_TRUE(contains(complaint_about_weights({1, 1, nan, 1}), "that of thread 2 is nan"));
  EXPECT_TRUE(contains(complaint_about_weights({1, 1e308, 1e308, 1}), "their sum is not finite"));
}

TEST_F(CheckRequest, AMoveCostThatIsNoNumberOrHasNothingToMoveFrom) {
  const thread_mapping current{std::vector<pu_id>(4)};
  request.move_cost = 1;
  EXPECT_TRUE(contains(complaint(), "move cost: there is no current mapping"));
  request.current = &current;
  EXPECT_EQ(complaint(), "");
  for (const double wrong : {-1.0, infinite, nan}) {
    request.move_cost = wrong;
    EXPECT_TRUE(contains(complaint(), "is not a number >= 0"));
  }
}

TEST_F(CheckRequest, AnAlphaThatIsNoShare) {
  request.alpha = 1;
  EXPECT_EQ(complaint(), "");
  for (const double wrong : {-0.1, 1.1, infinite, nan}) {
    request.alpha = wrong;
    EXPECT_TRUE(contains(complaint(), "is not a number from 0 to 1"));
  }
}

TEST_F(CheckRequest, ACurrentMappingThatDoesNotFit) {
  const thread_mapping few{std::vector<pu_id>(3)};
  request.current = &few;
  EXPECT_TRUE(contains(complaint(), "current mapping: it is for 3 threads, the matrix has 4"));
  const thread_mapping elsewhere{{pu_id(0), pu_id(1), pu_id(2), pu_id(4)}};
  request.current = &elsewhere;
  EXPECT_TRUE(contains(complaint(), "thread 3 is on PU 4, which does not exist"));
}

}  // namespace
}  // namespace numatch
