// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "base/flat_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace numatch {
namespace {

TEST(flat_table, an_empty_table_finds_nothing) {
  const flat_table<int> table;
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.size(), 0u);
}

TEST(flat_table, a_new_key_starts_with_an_empty_value) {
  flat_table<int> table;
  EXPECT_EQ(table[7], 0);
  EXPECT_EQ(table.size(), 1u);
}

TEST(flat_table, a_cleared_table_is_empty) {
  flat_table<int> table;
  for (std::uint64_t key = 0; key < 100; ++key) table[key] = 1;
  table.clear();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table[5], 0);
}

RC_GTEST_PROP(flat_table, behaves_like_a_map, (std::vector<std::uint16_t> keys)) {
  flat_table<std::uint64_t> table;
  std::map<std::uint64_t, std::uint64_t> model;
  for (const std::uint16_t key : keys) {
    // Keys a power of two apart are what page numbers of equal arrays look like.
    const std::uint64_t spread = std::uint64_t{key} << 20;
    ++table[spread];
    ++model[spread];
  }
  std::map<std::uint64_t, std::uint64_t> seen;
  table.for_each([&](std::uint64_t key, std::uint64_t value) { seen[key] = value; });
  RC_ASSERT(seen == model);
  RC_ASSERT(table.size() == model.size());
  for (const auto& [key, value] : model) {
    RC_ASSERT(table.find(key) != nullptr);
    RC_ASSERT(*table.find(key) == value);
  }
  RC_ASSERT(table.find(1) == nullptr);
}

}  // namespace
}  // namespace numatch
