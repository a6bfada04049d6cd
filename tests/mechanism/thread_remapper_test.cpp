// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thread_remapper.hpp"

#include <algorithm>
#include <array>

#include "four_nodes.hpp"

namespace numatch {
namespace {

using testing::IsSubstring;

/// Pairs (0, 1), (2, 3), ... share this much.
sharing_matrix pairs(std::size_t threads, double amount = 100) {
  sharing_matrix sharing(threads);
  for (std::size_t t = 0; t + 1 < threads; t += 2) sharing.set(t, t + 1, amount);
  return sharing;
}

class thread_remapper_on_four_nodes : public test::four_nodes {
 protected:
  static thread_remapper made(const remap_rule& rule, const std::string& algorithm = "scotch") {
    return thread_remapper::make(algorithm, rule).value();
  }
  /// Eight threads, the two of a pair on different nodes.
  void part_the_pairs() {
    for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = t % 2 * 4 + t / 2;
  }
};

TEST_F(thread_remapper_on_four_nodes, brings_together_who_shares) {
  thread_remapper remapper = made({});
  part_the_pairs();
  EXPECT_TRUE(remapper.remap(pairs(8), where));
  for (std::uint32_t t = 0; t < 8; t += 2) EXPECT_EQ(node_of_thread(t), node_of_thread(t + 1));
  for (std::uint32_t t = 0; t < 8; ++t) {
    EXPECT_EQ(remapper.sent(thread_id(t)), pu_id(where.pu_of_thread[t])) << t;
  }
  EXPECT_EQ(remapper.sent(thread_id(8)), std::nullopt);
}

TEST_F(thread_remapper_on_four_nodes, threads_that_have_ended_take_no_place) {
  thread_remapper remapper = made({});
  // Of sixteen threads eight have ended; the others fit one to a PU.
  for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t + 8] = t % 2 * 4 + t / 2;
  EXPECT_TRUE(remapper.remap(pairs(16), where));
  ASSERT_EQ(where.work.size(), 1U);
  EXPECT_EQ(where.work[0], (std::pair{software_work::map_threads, std::uint64_t{8}}));
  std::vector<bool> taken(8, false);
  for (std::uint32_t t = 8; t < 16; ++t) {
    const std::uint32_t pu = where.pu_of_thread[t];
    EXPECT_FALSE(taken[pu]) << "two threads on PU " << pu;
    taken[pu] = true;
    EXPECT_EQ(remapper.sent(thread_id(t)), pu_id(pu));
  }
  for (std::uint32_t t = 0; t < 8; ++t) EXPECT_EQ(remapper.sent(thread_id(t)), std::nullopt) << t;
}

TEST_F(thread_remapper_on_four_nodes, sharing_with_threads_that_have_ended_moves_nobody) {
  thread_remapper remapper = made({});
  where.pu_of_thread = {{1, 7}, {2, 0}};  // their partners 0 and 3 are gone
  EXPECT_FALSE(remapper.remap(pairs(4), where));
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_TRUE(where.work.empty()) << "there is nothing to map";
}

TEST_F(thread_remapper_on_four_nodes, an_equally_good_mapping_moves_nobody) {
  thread_remapper remapper = made({});
  // Pairs together, but on other nodes than the mapper would choose.
  for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = 7 - t;
  EXPECT_FALSE(remapper.remap(pairs(8), where));
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(thread_remapper_on_four_nodes, a_gain_below_the_price_of_the_moves_moves_nobody) {
  sharing_matrix sharing = pairs(8);
  sharing.set(1, 2, 101);  // a little more than with 0 and 3
  sharing.set(0, 3, 100);
  const auto place = [&] {
    for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = t;
  };
  place();
  thread_remapper dear = made({.move_price = 0.05});
  EXPECT_FALSE(dear.remap(sharing, where));
  place();
  thread_remapper free = made({});
  EXPECT_TRUE(free.remap(sharing, where));
  EXPECT_EQ(node_of_thread(1), node_of_thread(2));
}

TEST_F(thread_remapper_on_four_nodes, with_fewest_moves_only_one_of_every_parted_pair_moves) {
  thread_remapper remapper = made({.fewest_moves = true});
  // Two pairs are parted, two are together on the nodes 3 and 2.
  const std::map<std::uint32_t, std::uint32_t> before{{0, 0}, {2, 1}, {1, 2}, {3, 3},
                                                      {4, 6}, {5, 7}, {6, 4}, {7, 5}};
  where.pu_of_thread = before;
  EXPECT_TRUE(remapper.remap(pairs(8), where));
  std::size_t moved = 0;
  for (const auto& [thread, pu] : before) moved += where.pu_of_thread[thread] != pu ? 1 : 0;
  EXPECT_EQ(moved, 2U);
  for (std::uint32_t t = 0; t < 8; t += 2) EXPECT_EQ(node_of_thread(t), node_of_thread(t + 1));
}

TEST_F(thread_remapper_on_four_nodes, what_the_past_says_is_done_when_the_newest_bears_it_out) {
  thread_remapper remapper = made({}, "numatch");
  part_the_pairs();
  EXPECT_TRUE(remapper.remap_proven(pairs(8), pairs(8, 1), where));
  for (std::uint32_t t = 0; t < 8; t += 2) EXPECT_EQ(node_of_thread(t), node_of_thread(t + 1));
}

TEST_F(thread_remapper_on_four_nodes, what_the_newest_does_not_bear_out_moves_nobody) {
  thread_remapper remapper = made({}, "numatch");
  part_the_pairs();
  sharing_matrix others(8);
  // Who shares now is together already.
  for (std::size_t t = 0; t < 4; t += 2) {
    others.set(t, (t + 2) % 4, 1);
    others.set(t + 1, (t + 2) % 4 + 1, 1);
  }
  EXPECT_FALSE(remapper.remap_proven(pairs(8), others, where));
  EXPECT_FALSE(remapper.remap_proven(pairs(8), sharing_matrix(8), where)) << "nothing new";
  EXPECT_FALSE(remapper.remap_proven(sharing_matrix(8), pairs(8), where)) << "nothing before";
  EXPECT_TRUE(where.thread_moves.empty());
}

/// The four nodes on a ring: 1 in a node, 10 to the next one, 20 to the one after.
class ring_world : public test::fake_world {
 public:
  ring_world() {
    std::vector<double> cells;
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) {
        const int hops = std::min((a / 2 - b / 2 + 4) % 4, (b / 2 - a / 2 + 4) % 4);
        cells.push_back(a == b ? 0 : hops == 0 ? 1 : 10 * hops);
      }
    }
    known_ = distance_table::from_cells(8, std::move(cells)).value();
  }
  const distance_table* distances() const override { return &*known_; }

 private:
  std::optional<distance_table> known_;
};

/// A chain of pairs, on nodes in the order 0, 2, 1, 3: two of three neighbours are two hops apart.
class thread_remapper_on_a_ring : public thread_remapper_on_four_nodes {
 protected:
  thread_remapper_on_a_ring() : chain_(pairs(8)) {
    for (std::size_t t = 1; t + 1 < 8; t += 2) chain_.set(t, t + 1, 50);
    for (test::fake_world* w : {&where, static_cast<test::fake_world*>(&ring_)}) {
      w->known_machine = &machine;
      for (std::uint32_t t = 0; t < 8; ++t) {
        w->pu_of_thread[t] = std::array{0U, 2U, 1U, 3U}[t / 2] * 2 + t % 2;
      }
    }
  }
  double cost_on_the_ring() const {
    thread_mapping mapping;
    for (const auto& [thread, pu] : ring_.pu_of_thread) mapping.pu_of.emplace_back(pu);
    return mapping_cost(chain_, mapping, *ring_.distances());
  }

  sharing_matrix chain_;
  ring_world ring_;
};

TEST_F(thread_remapper_on_a_ring, the_worlds_distances_say_whether_a_mapping_pays) {
  for (const char* algorithm : {"scotch", "numatch"}) {
    EXPECT_FALSE(made({.move_price = 0.01}, algorithm).remap(chain_, where)) << "for the tree";
    const ring_world as_it_was = ring_;
    const double before = cost_on_the_ring();
    EXPECT_TRUE(made({.move_price = 0.01}, algorithm).remap(chain_, ring_)) << algorithm;
    EXPECT_LT(cost_on_the_ring(), before) << algorithm;
    ring_ = as_it_was;
  }
}

TEST_F(thread_remapper_on_a_ring, the_mapping_engine_lets_whole_nodes_change_their_threads) {
  EXPECT_TRUE(made({.move_price = 0.01}, "numatch").remap(chain_, ring_));
  EXPECT_EQ(cost_on_the_ring(), 4 * 100 * 1 + 3 * 50 * 10) << "all neighbours one hop apart";
}

TEST_F(thread_remapper_on_four_nodes, a_price_that_is_none_is_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter move-price",
                      test::refusal_of("sammu", {{"move-price", "-1"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter fewest-moves",
                      test::refusal_of("spcd", {{"fewest-moves", "some"}}));
}

}  // namespace
}  // namespace numatch
