// SPDX-License-Identifier: Apache-2.0
#include "report/format.hpp"

#include <gtest/gtest.h>

namespace numatch::report {
namespace {

TEST(format, shares_keep_a_digit_that_says_something) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.00001), "< 0.01 %");
  EXPECT_EQ(percent(0.0004), "0.04 %");
  EXPECT_EQ(percent(0.1234), "12.3 %");
  EXPECT_EQ(percent(0.99999), "> 99.9 %");
  EXPECT_EQ(percent(1), "100 %");
}

TEST(format, amounts_have_three_digits) {
  EXPECT_EQ(amount(0), "0");
  EXPECT_EQ(amount(999), "999");
  EXPECT_EQ(amount(1000), "1.00 k");
  EXPECT_EQ(amount(1234567), "1.23 M");
  EXPECT_EQ(amount(999999), "1.00 M");
  EXPECT_EQ(amount(0.5), "0.5");
  EXPECT_EQ(amount(18446744073709551615.0), "18447 P");
}

TEST(format, bytes_have_binary_units) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(1023), "1023 B");
  EXPECT_EQ(bytes(4096), "4 KiB");
  EXPECT_EQ(bytes(1536), "1.50 KiB");
}

TEST(format, id_lists_join_neighbours) {
  EXPECT_EQ(id_list({}), "");
  EXPECT_EQ(id_list({thread_id(0), thread_id(1), thread_id(2), thread_id(5)}), "0–2, 5");
  EXPECT_EQ(id_list({thread_id(3), thread_id(4)}), "3, 4");
}

TEST(format, byte_ranges_of_a_line) {
  EXPECT_EQ(byte_ranges(0), "–");
  EXPECT_EQ(byte_ranges(0xff00000000000001), "0, 56–63");
  EXPECT_EQ(byte_ranges(~std::uint64_t{0}), "0–63");
}

TEST(format, texts_are_cut_by_columns_and_lose_control_characters) {
  EXPECT_EQ(fit("übergroß", 8), "übergroß");
  EXPECT_EQ(fit("übergroß", 5), "über…");
  EXPECT_EQ(fit("a\x1b[31mb\n", 20), "a·[31mb·");
  EXPECT_EQ(pad("ü", 3), "ü  ");
  EXPECT_EQ(pad_left("ü", 3), "  ü");
}

TEST(format, lines_break_between_words) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("", 7), std::vector<std::string>{});
  EXPECT_EQ(wrap("incomprehensibly", 7), std::vector<std::string>{"incomprehensibly"});
}

}  // namespace
}  // namespace numatch::report
