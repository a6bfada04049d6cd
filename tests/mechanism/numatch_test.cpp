// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "four_nodes.hpp"

namespace numatch {
namespace {

using test::ms;
using test::page_moves;
using testing::IsSubstring;

/// Thread t runs on node t / 2. Every decision finds that the program waits a lot.
class numatch_acts : public test::four_nodes {
 protected:
  std::unique_ptr<mechanism> made(std::map<std::string, std::string> given = {}) {
    given.emplace("sample-period", "1000");
    given.emplace("cache-period", "1");
    given.emplace("budget", "100");
    return begin("numatch", 8, given);
  }
  void sample(mechanism& m, std::uint32_t thread, std::uint64_t page, bool write = true) {
    const bool local = where.node_of(page_number(page)) == node_of_thread(thread);
    const data_source source = local ? data_source::local_memory : data_source::remote_memory;
    m.on_memory_sample({thread_id(thread), page * 4096, write, source, local ? 100u : 300u}, where);
  }
  /// Ends an interval in which every thread ran `cycles`.
  void decide(mechanism& m, std::uint64_t cycles = 1'000'000) {
    for (std::uint32_t t = 0; t < 8; ++t) where.progress[t].cycles += cycles;
    wake(m, where.wake_ups.back().nanoseconds);
  }
  /// Page p of 16 is used by thread p % 8 alone and lies one node further.
  void use_own_pages(mechanism& m, int times = 4) {
    for (std::uint64_t p = 0; p < 16; ++p) {
      const std::uint32_t thread = p % 8;
      where.node_of_page.emplace(p, (thread / 2 + 1) % 4);
      for (int i = 0; i < times; ++i) sample(m, thread, p);
    }
  }
  std::size_t samples_read() const {
    return static_cast<std::size_t>(
        std::ranges::count(where.work, std::pair{software_work::take_samples, std::uint64_t{1}}));
  }
};

TEST_F(numatch_acts, pages_go_to_their_users_once_the_past_has_told_the_future) {
  const auto m = made();
  use_own_pages(*m);
  decide(*m);
  EXPECT_TRUE(where.page_moves.empty()) << "nothing has been forecast yet";
  use_own_pages(*m);
  decide(*m);
  ASSERT_EQ(where.page_moves.size(), 16u);
  for (const auto& [page, node] : where.page_moves) EXPECT_EQ(node, page % 8 / 2);
}

TEST_F(numatch_acts, pages_stay_when_their_cost_is_above_what_they_save) {
  const auto m = made({{"page-cost", "1e9"}});
  for (int i = 0; i < 6; ++i) {
    use_own_pages(*m);
    decide(*m);
  }
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(numatch_acts, pages_that_all_use_alike_stay) {
  const auto m = made({{"act-on", "pages"}});
  for (std::uint32_t round = 0; round < 24; ++round) {
    for (std::uint64_t p = 0; p < 16; ++p) {
      where.node_of_page.emplace(p, p % 4);
      // In turn, and whoever is ahead for the moment has just had his turn.
      sample(*m, static_cast<std::uint32_t>((round + p) % 4) * 2, p);
    }
    decide(*m);
  }
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(numatch_acts, nothing_is_done_for_a_program_that_does_not_wait) {
  const auto m = made();
  for (int i = 0; i < 6; ++i) {
    use_own_pages(*m);
    decide(*m, 10'000'000'000);
  }
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(numatch_acts, threads_that_share_go_together_when_it_holds_for_a_second_interval) {
  const auto m = made({{"mapping-interval", "20"}, {"act-on", "threads"}});
  const auto share = [&] {
    for (std::uint32_t t = 0; t < 4; ++t) {
      where.node_of_page.emplace(t, t);
      for (int i = 0; i < 20; ++i) {
        sample(*m, t, t);
        sample(*m, t + 4, t);
      }
    }
  };
  share();
  decide(*m);
  EXPECT_TRUE(where.thread_moves.empty());
  share();
  decide(*m);
  EXPECT_EQ(where.thread_moves.size(), 1u);
  for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(node_of_thread(t), node_of_thread(t + 4)) << t;
}

TEST_F(numatch_acts, threads_that_share_with_others_each_time_stay) {
  const auto m = made({{"mapping-interval", "20"}, {"act-on", "threads"}, {"ageing", "0"}});
  for (std::uint32_t round = 0; round < 6; ++round) {
    for (std::uint32_t t = 0; t < 4; ++t) {
      for (int i = 0; i < 20; ++i) {
        sample(*m, t, t);
        sample(*m, 4 + (t + round) % 4, t);
      }
    }
    decide(*m);
  }
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(numatch_acts, act_on_none_moves_nothing_and_still_says_who_shares) {
  const auto m = made({{"act-on", "none"}});
  for (int i = 0; i < 4; ++i) {
    use_own_pages(*m);
    sample(*m, 0, 3);
    decide(*m);
  }
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_GT(m->sharing().at(0, 3), 0);
  EXPECT_EQ(m->sharing().at(0, 3), m->sharing().at(3, 0));
  EXPECT_EQ(m->sharing().at(1, 2), 0);
}

TEST_F(numatch_acts, samples_of_the_chips_own_cache_are_read_more_rarely) {
  const auto m = made({{"cache-period", "4"}});
  for (int i = 0; i < 8; ++i) {
    m->on_memory_sample({thread_id(0), 4096, false, data_source::shared_cache, 20}, where);
  }
  EXPECT_EQ(samples_read(), 2u);
  for (int i = 0; i < 8; ++i) sample(*m, 0, 1);
  EXPECT_EQ(samples_read(), 10u);
}

TEST_F(numatch_acts, more_samples_than_the_budget_allows_are_passed_over) {
  const auto m = made({{"budget", "1"}});
  // 64 samples of 400 cycles are 1.6 % of these cycles; nothing is done, so half of the budget is
  // left, and every fourth one takes 0.4 %.
  use_own_pages(*m);
  decide(*m, 200'000);
  where.work.clear();
  use_own_pages(*m);
  EXPECT_EQ(samples_read(), 16u);
}

TEST_F(numatch_acts, an_interval_without_decisions_doubles_up_to_the_longest) {
  const auto m = made({{"longest-interval", "60"}});
  std::vector<std::uint64_t> gaps;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t at = where.wake_ups.back().nanoseconds;
    wake(*m, at);
    gaps.push_back(where.wake_ups.back().nanoseconds - at);
  }
  EXPECT_EQ(gaps, (std::vector<std::uint64_t>{40 * ms, 60 * ms, 60 * ms}));
}

TEST_F(numatch_acts, a_page_on_its_way_is_not_sent_again) {
  const auto m = made();
  for (int i = 0; i < 2; ++i) {
    use_own_pages(*m);
    decide(*m);
  }
  ASSERT_EQ(where.page_moves.size(), 16u);
  for (auto& [page, node] : where.node_of_page) node = (page % 8 / 2 + 1) % 4;
  use_own_pages(*m);
  decide(*m);
  EXPECT_EQ(where.page_moves.size(), 16u);
  for (std::uint64_t request = 1; request <= 16; ++request) outcome(*m, request, false);
  use_own_pages(*m);
  decide(*m);
  EXPECT_EQ(where.page_moves.size(), 32u);
}

TEST_F(numatch_acts, bad_parameters_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter sample-period: '0' is not a whole number from 1",
                      test::refusal_of("numatch", {{"sample-period", "0"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter budget: '0' is not a number from 0.001 to 100",
                      test::refusal_of("numatch", {{"budget", "0"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter ageing: '1.5' is not a number from 0 to 1",
                      test::refusal_of("numatch", {{"ageing", "1.5"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "yes or no",
                      test::refusal_of("numatch", {{"fewest-moves", "often"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter longest-interval: is shorter than interval",
                      test::refusal_of("numatch", {{"longest-interval", "10"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter horizon: is shorter than interval",
                      test::refusal_of("numatch", {{"horizon", "10"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "unknown", test::refusal_of("numatch", {{"mapper", "best"}}));
}

}  // namespace
}  // namespace numatch
