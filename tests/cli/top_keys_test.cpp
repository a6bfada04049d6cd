// SPDX-License-Identifier: Apache-2.0
#include "cli/top_keys.hpp"

#include <gtest/gtest.h>

namespace numatch::cli {
namespace {

TEST(TopKeys, ArrowsAreLettersAndUnknownSequencesAreNothing) {
  EXPECT_EQ(keys_of("q"), "q");
  EXPECT_EQ(keys_of("\033[A\033[B\033OA"), "kjk");
  EXPECT_EQ(keys_of("\033[5~\033[6~\033[H\033[1~"), "bfgg");
  EXPECT_EQ(keys_of("a\033[1;5Cb"), "ab");
  EXPECT_EQ(keys_of("\033"), "");
  EXPECT_EQ(keys_of("\033["), "");
  EXPECT_EQ(keys_of("\033\033[Aq"), "kq");
}

TEST(TopKeys, EachChangesTheView) {
  top_view view;
  EXPECT_EQ(press('r', view, 10), top_wish::redraw);
  EXPECT_EQ(view.order, top_order::remote);
  press('p', view, 10);
  EXPECT_TRUE(view.paused);
  press(' ', view, 10);
  EXPECT_FALSE(view.paused);
  press('?', view, 10);
  EXPECT_TRUE(view.help);
  press('h', view, 10);
  EXPECT_FALSE(view.help);
  press('\t', view, 10);
  EXPECT_TRUE(view.pages);
  EXPECT_EQ(press('q', view, 10), top_wish::quit);
  EXPECT_EQ(press('Z', view, 10), top_wish::nothing);
}

TEST(TopKeys, TheListDoesNotGoAboveItsTop) {
  top_view view;
  for (const char key : {'k', 'b', 'g'}) press(key, view, 10);
  EXPECT_EQ(view.first, 0U);
  for (const char key : {'f', 'j', 'j', 'k'}) press(key, view, 10);
  EXPECT_EQ(view.first, 11U);
  press('b', view, 10);
  EXPECT_EQ(view.first, 1U);
  press('b', view, 10);
  EXPECT_EQ(view.first, 0U);
}

}  // namespace
}  // namespace numatch::cli
