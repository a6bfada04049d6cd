// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace numatch {
namespace {

constexpr std::array<std::string_view, 3> mechanisms{"lapt", "oracle", "sammu"};

TEST(Suggest, CountsSingleEdits) {
  EXPECT_EQ(edit_distance("sammu", "sammu"), 0U);
  EXPECT_EQ(edit_distance("samu", "sammu"), 1U);
  EXPECT_EQ(edit_distance("lpat", "lapt"), 1U) << "a swap of neighbours is one edit";
  EXPECT_EQ(edit_distance("", "lapt"), 4U);
}

TEST(Suggest, NamesTheNearest) {
  EXPECT_EQ(nearest_name("orcale", mechanisms), "oracle");
  EXPECT_EQ(suggest("sammy", mechanisms), "did you mean 'sammu'?");
}

TEST(Suggest, ListsAllWhenNothingIsNear) {
  EXPECT_EQ(suggest("zzzzzzzzzz", mechanisms), "known: lapt, oracle, sammu");
}

}  // namespace
}  // namespace numatch
