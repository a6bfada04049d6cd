// SPDX-License-Identifier: Apache-2.0
// Property tests draw the same cases in every run. Other ones: RC_PARAMS=seed=N test_ROOM.
#include <gtest/gtest.h>

#include <cstdlib>

namespace {

class FixedSeed : public testing::Environment {
 public:
  void SetUp() override {
    // rapidcheck reads it when the first property is checked.
    ::setenv("RC_PARAMS", "seed=1", 0);
  }
};

[[maybe_unused]] testing::Environment* const registered =
    testing::AddGlobalTestEnvironment(new FixedSeed);

}  // namespace
