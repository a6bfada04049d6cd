// SPDX-License-Identifier: Apache-2.0
#include "pattern/matrix_text.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/expect_text.hpp"

namespace numatch {
namespace {

std::string message_of(const std::string& text) {
  const result<sharing_matrix> matrix = parse_matrix(text, "m.txt");
  return matrix ? "no error" : matrix.error().message();
}

TEST(MatrixText, BlanksTabsAndCommasSeparate) {
  const result<sharing_matrix> matrix = parse_matrix("0 1.5,2\n3\t0, 4\r\n5,6 0\n", "m.txt");
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_EQ(matrix->size(), 3U);
  EXPECT_EQ(matrix->at(0, 1), 1.5);
  EXPECT_EQ(matrix->at(1, 2), 4);
  EXPECT_EQ(matrix->at(2, 0), 5);
}

TEST(MatrixText, CommentsAndEmptyLinesDoNotCount) {
  const result<sharing_matrix> matrix =
      parse_matrix("# two threads\n\n0 7 # first\n   \n7 0", "m.txt");
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_EQ(matrix->between(0, 1), 14);
}

TEST(MatrixText, TheDiagonalIsDropped) {
  const result<sharing_matrix> matrix = parse_matrix("9 1\n2 9\n", "m.txt");
  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->at(0, 0), 0);
  EXPECT_EQ(matrix->at(1, 1), 0);
}

TEST(MatrixText, WhatIsWrittenReadsBackTheSame) {
  sharing_matrix matrix(3);
  matrix.set(0, 1, 0.1);
  matrix.set(1, 2, 1e300);
  matrix.set(2, 0, 12345678901234567.0);
  const result<sharing_matrix> back = parse_matrix(format_matrix(matrix), "m.txt");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, matrix);
}

TEST(MatrixText, EveryMistakeIsNamedWithItsLine) {
  EXPECT_TRUE(contains(message_of(""), "m.txt: the matrix is empty"));
  EXPECT_TRUE(contains(message_of("# nothing\n\n"), "the matrix is empty"));
  EXPECT_TRUE(contains(message_of("0 1\n1 0\n2 2\n"), "not square: 3 rows of 2 numbers"));
  EXPECT_TRUE(contains(message_of("0 1 2\n1 0 2\n"), "not square: 2 rows of 3 numbers"));
  EXPECT_TRUE(contains(message_of("\n0 1\n1 0 5\n"),
                       "m.txt:3: this row has 3 numbers, the one in line 2 has 2"));
  EXPECT_TRUE(contains(message_of("0 nan\n1 0\n"), "m.txt:1: the matrix has a NaN"));
  EXPECT_TRUE(contains(message_of("0 1\ninf 0\n"), "m.txt:2: the matrix has an infinite number"));
  EXPECT_TRUE(
      contains(message_of("0 -3\n1 0\n"), "m.txt:1: the matrix has a negative number (-3)"));
  EXPECT_TRUE(contains(message_of("0 1e999\n1 0\n"), "too large"));
  EXPECT_TRUE(contains(message_of("0 1x\n1 0\n"), "'1x' is not a number"));
  EXPECT_TRUE(contains(message_of("0 ++1\n1 0\n"), "'++1' is not a number"));
}

TEST(MatrixText, AMissingFileAndAFolderAreErrors) {
  EXPECT_FALSE(read_matrix("/nowhere/matrix.txt"));
  EXPECT_FALSE(read_matrix(testing::TempDir()));
}

}  // namespace
}  // namespace numatch
