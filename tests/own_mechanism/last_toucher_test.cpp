// SPDX-License-Identifier: Apache-2.0
// Builds and drives the example of docs/your-own-mechanism.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "mechanism/fake_world.hpp"

namespace numatch {

extern const mechanism_entry last_toucher_entry;

namespace {

using testing::IsSubstring;

std::unique_ptr<mechanism> make_last_toucher(const std::map<std::string, std::string>& given = {}) {
  return last_toucher_entry.make(parameter_set::make(last_toucher_entry.parameters, given).value())
      .value();
}

class last_toucher : public testing::Test {
 protected:
  last_toucher() : machine(topology::load("numa:4 core:2 pu:1").value()) {
    where.known_machine = &machine;
    where.pu_of_thread = {{0, 0}, {1, 7}};
    where.node_of_page = {{5, 0}};
  }
  void miss(mechanism& m, std::initializer_list<std::uint32_t> threads) {
    for (const std::uint32_t t : threads) {
      m.on_tlb_miss({thread_id(t), page_number(5), {}}, where);
    }
  }
  topology machine;
  test::fake_world where;
};

TEST_F(last_toucher, a_page_moves_to_a_thread_that_missed_three_times_in_a_row) {
  const auto m = make_last_toucher();
  miss(*m, {1, 1, 0, 1, 1});
  EXPECT_TRUE(where.page_moves.empty());
  miss(*m, {1});
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0], (std::pair<std::uint64_t, std::uint32_t>{5, 3}));
  miss(*m, {1, 1});
  EXPECT_EQ(where.page_moves.size(), 1u) << "it is there";
}

TEST_F(last_toucher, who_misses_shares_with_the_last_two_threads) {
  const auto m = make_last_toucher();
  miss(*m, {0, 1, 2});
  const sharing_matrix sharing = m->sharing();
  EXPECT_EQ(sharing.at(1, 0), 1);
  EXPECT_EQ(sharing.at(2, 1), 1);
  EXPECT_EQ(sharing.at(2, 0), 1);
  EXPECT_EQ(sharing.total(), 3);
}

TEST_F(last_toucher, a_trace_is_asked_for_nothing) {
  test::fake_world trace;
  const auto m = make_last_toucher({{"in-a-row", "1"}});
  m->on_tlb_miss({thread_id(0), page_number(5), {}}, trace);
  EXPECT_TRUE(trace.page_moves.empty());
}

TEST_F(last_toucher, a_bad_parameter_is_refused) {
  const result<std::unique_ptr<mechanism>> made = last_toucher_entry.make(
      parameter_set::make(last_toucher_entry.parameters, {{"in-a-row", "0"}}).value());
  ASSERT_FALSE(made);
  EXPECT_PRED_FORMAT2(IsSubstring, "a whole number from 1 to 1000", made.error().message());
}

std::string text_of(const char* path) {
  std::ifstream file(std::string(NUMATCH_SOURCE_DIR "/") + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(last_toucher, the_page_shows_the_file_and_it_has_under_100_lines) {
  const std::string code = text_of("examples/mechanism/last_toucher.cpp");
  ASSERT_FALSE(code.empty());
  EXPECT_LT(std::count(code.begin(), code.end(), '\n'), 100);
  EXPECT_NE(text_of("docs/your-own-mechanism.md").find("```cpp\n" + code + "```\n"),
            std::string::npos);
}

}  // namespace
}  // namespace numatch
