// SPDX-License-Identifier: Apache-2.0
// The oracle that decides once, from the profile of an earlier run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "four_nodes.hpp"
#include "pattern/profile.hpp"

namespace numatch {
namespace {

using test::page_moves;
using testing::IsSubstring;

/// Threads 0 and 7 share, as do 1 and 6, 2 and 5, 3 and 4. Page t is thread t's, 8 to 11 are those
/// of the pairs.
class static_oracle_on_four_nodes : public test::four_nodes {
 protected:
  static_oracle_on_four_nodes()
      : file_(std::filesystem::path(testing::TempDir()) /
              fmt::format("static_oracle_{}.nmp", ::getpid())) {
    profile learned;
    learned.mechanism = "oracle";
    learned.matrix_unit = "accesses";
    learned.time_unit = "accesses";
    learned.sharing = sharing_matrix(8);
    learned.threads.resize(8);
    learned.windows = {{0, 100}};
    for (std::uint32_t t = 0; t < 8; ++t) {
      learned.sharing.set(t, 7 - t, 1000);
      learned.pages.push_back({page_number(t), 1, 0, thread_id(t), 5, 5});
    }
    for (std::uint32_t pair = 0; pair < 4; ++pair) {
      learned.pages.push_back({page_number(8 + pair), 1, 0, thread_id(pair), 4, 4});
      learned.pages.push_back({page_number(8 + pair), 1, 0, thread_id(7 - pair), 4, 4});
    }
    const result<void> saved = save_profile(learned, file_);
    if (!saved) throw std::runtime_error(saved.error().message());
  }
  ~static_oracle_on_four_nodes() override { std::filesystem::remove(file_); }

  std::unique_ptr<mechanism> start(std::map<std::string, std::string> given = {}) {
    given["profile"] = file_.string();
    given.emplace("mapper", "numatch");
    return begin("oracle", 8, given);
  }
  void use(mechanism& m, std::uint32_t thread, std::uint64_t page) {
    const access_event access{page * where.page_size, 8, false};
    m.on_accesses(thread_id(thread), std::span(&access, 1), where);
  }

  std::filesystem::path file_;
};

TEST_F(static_oracle_on_four_nodes, threads_go_where_the_profile_says_when_they_start) {
  const auto m = start();
  for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(node_of_thread(t), node_of_thread(7 - t)) << t;
  EXPECT_TRUE(where.wake_ups.empty());
  EXPECT_TRUE(where.work.empty());
}

TEST_F(static_oracle_on_four_nodes, a_page_goes_to_its_users_when_it_is_used_first) {
  const auto m = start();
  const std::uint32_t home = node_of_thread(1).value;
  where.node_of_page = {{9, (home + 1) % 4}, {2, node_of_thread(2).value}};
  for (int i = 0; i < 3; ++i) use(*m, 1, 9);
  use(*m, 2, 2);
  EXPECT_EQ(where.page_moves, (page_moves{{9, home}}));
}

TEST_F(static_oracle_on_four_nodes, a_page_that_the_profile_does_not_know_stays) {
  const auto m = start();
  where.node_of_page = {{100, 0}};
  use(*m, 1, 100);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(static_oracle_on_four_nodes, a_page_that_would_gain_too_little_stays) {
  for (const auto& [gain, moves] : {std::pair{"0.4", 1u}, {"0.5", 0u}}) {
    where.page_moves.clear();
    const auto m = start({{"act-on", "pages"}, {"page-gain", gain}});
    where.node_of_page = {{9, 1}};
    use(*m, 1, 9);  // 1 and 6 use it alike, so half of its uses would become local
    EXPECT_EQ(where.page_moves.size(), moves) << gain;
  }
}

TEST_F(static_oracle_on_four_nodes, pages_alone_go_where_the_threads_were_put) {
  const auto m = start({{"act-on", "pages"}});
  EXPECT_TRUE(where.thread_moves.empty());
  where.node_of_page = {{7, 0}};
  use(*m, 7, 7);
  EXPECT_EQ(where.page_moves, (page_moves{{7, 3}}));
}

TEST_F(static_oracle_on_four_nodes, threads_alone_leave_the_pages) {
  const auto m = start({{"act-on", "threads"}});
  EXPECT_FALSE(where.thread_moves.empty());
  where.node_of_page = {{7, 0}, {0, 3}};
  use(*m, 7, 7);
  use(*m, 0, 0);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(static_oracle_on_four_nodes, a_larger_page_goes_to_the_users_of_all_its_parts) {
  where.page_size = 16384;
  const auto m = start({{"act-on", "pages"}});
  where.node_of_page = {{1, 0}};
  use(*m, 4, 1);  // pages 4 to 7 of the profile: threads of nodes 2 and 3 alike
  EXPECT_EQ(where.page_moves, (page_moves{{1, 2}}));
}

TEST_F(static_oracle_on_four_nodes, what_was_learned_is_the_profile) {
  EXPECT_EQ(start()->sharing().at(0, 7), 1000);
}

TEST_F(static_oracle_on_four_nodes, a_profile_that_is_not_there_is_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "/nowhere.nmp",
                      test::refusal_of("oracle", {{"profile", "/nowhere.nmp"}}));
  EXPECT_PRED_FORMAT2(
      IsSubstring, "numatch",
      test::refusal_of("oracle", {{"profile", file_.string()}, {"mapper", "nunatch"}}));
}

}  // namespace
}  // namespace numatch
