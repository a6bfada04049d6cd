// SPDX-License-Identifier: Apache-2.0
#include "control/controller.hpp"

#include <gtest/gtest.h>

#include "invented_program.hpp"

namespace numatch::control {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

class Controller : public ::testing::Test {
 protected:
  /// All pages on node 0, threads in an order in which no neighbours are together.
  void scramble() {
    const std::vector<std::uint32_t> order{0, 3, 6, 1, 4, 7, 2, 5};
    for (std::uint32_t t = 0; t < program.place.size(); ++t) program.place[t] = pu_id(order[t]);
    for (const page_number page : uses.pages()) program.node_of[page] = node_id(0);
  }
  controller make() {
    return controller(program, options,
                      [this](const decision& told) { decisions.push_back(told); });
  }
  void run(controller& decides, unsigned seconds, unsigned uses_per_second = 4000) {
    for (unsigned s = 0; s < seconds; ++s) {
      for (unsigned u = 0; u < uses_per_second; ++u) decides.on_use(uses.next());
      now += second;
      ASSERT_TRUE(decides.step(now));
    }
  }
  std::size_t count(deed what) const {
    return static_cast<std::size_t>(
        std::count_if(decisions.begin(), decisions.end(),
                      [what](const decision& told) { return told.what == what; }));
  }
  std::size_t local_private_pages() const {
    std::size_t local = 0;
    for (std::uint32_t t = 0; t < uses.threads; ++t) {
      for (std::uint64_t p = 0; p < uses.private_pages; ++p) {
        local += program.node_of.at(uses.private_page(t, p)) == program.node_of_thread(t) ? 1 : 0;
      }
    }
    return local;
  }
  /// Of the threads t and t + 1.
  std::size_t neighbours_together() const {
    std::size_t together = 0;
    for (std::uint32_t t = 0; t < uses.threads; ++t) {
      const std::uint32_t next = (t + 1) % uses.threads;
      together += program.node_of_thread(t) == program.node_of_thread(next) ? 1 : 0;
    }
    return together;
  }

  invented_program program{8};
  invented_uses uses;
  control_options options;
  std::vector<decision> decisions;
  std::uint64_t now = second;
};

TEST_F(Controller, PutsARingTogetherAndItsPagesWhereTheyAreUsed) {
  scramble();
  controller decides = make();
  run(decides, 30);
  EXPECT_EQ(neighbours_together(), 4U);
  EXPECT_EQ(local_private_pages(), 8 * uses.private_pages);
  EXPECT_GE(count(deed::moved), 1U);
  EXPECT_EQ(count(deed::kept), count(deed::moved));
  EXPECT_EQ(count(deed::took_back), 0U);
  ASSERT_TRUE(decides.totals().remote_last);
  EXPECT_GT(*decides.totals().remote_first, 0.6);
  EXPECT_LT(*decides.totals().remote_last, 0.3);
}

TEST_F(Controller, IsQuietOnceAllIsWhereItBelongs) {
  scramble();
  controller decides = make();
  run(decides, 60);
  const std::size_t binds = program.binds;
  const std::size_t asked = program.asked;
  run(decides, 200);
  EXPECT_EQ(program.binds, binds);
  EXPECT_LE(program.asked, asked + 4);
}

TEST_F(Controller, LeavesAllToAllAlone) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  scramble();
  controller decides = make();
  run(decides, 200);
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
  EXPECT_GE(count(deed::stayed), 20U);
}

TEST_F(Controller, LeavesAllToAllAloneWhenItSeesLittle) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  uses.shared_pages = 200;
  scramble();
  controller decides = make();
  run(decides, 200, 500);
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
}

/// Where processors are scarce, two threads at a time are seen to use everything.
TEST_F(Controller, LeavesAllToAllAloneWhenThreadsRunInBursts) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  uses.shared_pages = 6;
  scramble();
  controller decides = make();
  for (unsigned s = 0; s < 200; ++s) {
    for (unsigned burst = 0; burst < 20; ++burst) {
      const std::uint32_t first = static_cast<std::uint32_t>(uses.draws() % 8);
      for (unsigned u = 0; u < 100; ++u) {
        live::sensed_use use = uses.next();
        use.task = invented_program::task((first + u % 2) % 8);
        decides.on_use(use);
      }
    }
    now += second;
    ASSERT_TRUE(decides.step(now));
  }
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
}

/// One thread after the other has all pages for seconds: a turn is longer than a stretch of time.
TEST_F(Controller, LeavesAllToAllAloneWhenThreadsTakeLongTurns) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  uses.shared_pages = 6;
  scramble();
  controller decides = make();
  for (unsigned s = 0; s < 1000; ++s) {
    const std::uint32_t first = static_cast<std::uint32_t>(uses.draws() % 8);
    for (unsigned turn = 0; turn < 3; ++turn) {
      for (unsigned u = 0; u < 300; ++u) {
        live::sensed_use use = uses.next();
        use.task = invented_program::task((first + (u % 10 == 0 ? 1 : 0)) % 8);
        decides.on_use(use);
      }
      now += second / 2;
      ASSERT_TRUE(decides.step(now));
    }
  }
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
  EXPECT_GE(count(deed::stayed), 100U);
}

/// All have their stacks, too: that they are seen there does not make the rest anybody's.
TEST_F(Controller, BindsNoThreadWhereAllThatIsSharedIsSharedByAll) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  uses.shared_pages = 6;
  scramble();
  std::uint32_t has_all = 0;
  controller decides = make();
  for (unsigned pass = 0; pass < 4000; ++pass) {
    if (pass % 7 == 0) has_all = static_cast<std::uint32_t>(uses.draws() % 8);
    for (std::uint32_t t = 0; t < 8; ++t) {
      for (std::uint64_t p = 0; p < 3; ++p) {
        const page_number page = uses.private_page(t, p);
        program.node_of.try_emplace(page, program.node_of_thread(t));
        live::sensed_use use;
        use.task = invented_program::task(t);
        use.address = page.value * live::sensed_page_bytes;
        decides.on_use(use);
      }
      for (std::uint64_t p = 0; p < 6; ++p) {
        live::sensed_use use;
        use.task = invented_program::task(has_all);
        use.address = uses.shared_page(t, p).value * live::sensed_page_bytes;
        decides.on_use(use);
      }
    }
    now += second / 4;
    ASSERT_TRUE(decides.step(now));
  }
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
}

/// What a sensor that looks at everything shows now and then, where few threads run at a time: each
/// page once, of one of those that just run; and stacks. A short while, often.
TEST_F(Controller, LeavesAllToAllAloneInItsFirstMinutesWhateverTheTurns) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  uses.shared_pages = 6;
  std::size_t moved_shared = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    program = invented_program{8};
    scramble();
    std::mt19937_64 draws(seed);
    controller decides = make();
    std::vector<std::uint32_t> running{0};
    for (unsigned pass = 0; pass < 200; ++pass) {
      if (draws() % 2 == 0) {
        running.assign(1 + draws() % 3, 0);
        for (std::uint32_t& thread : running) thread = static_cast<std::uint32_t>(draws() % 8);
      }
      for (std::uint32_t t = 0; t < 8; ++t) {
        for (std::uint64_t p = 0; p < uses.shared_pages; ++p) {
          live::sensed_use use;
          use.task = invented_program::task(running[draws() % running.size()]);
          use.address = uses.shared_page(t, p).value * live::sensed_page_bytes;
          decides.on_use(use);
        }
      }
      now += second / 2;
      ASSERT_TRUE(decides.step(now));
    }
    moved_shared += program.asked + program.binds;
  }
  EXPECT_EQ(moved_shared, 0U);
}

/// What a sensor shows of some threads more often than of others says nothing about the pages.
TEST_F(Controller, LeavesAllToAllAloneWhenSomeThreadsAreSeenMore) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  scramble();
  controller decides = make();
  for (unsigned s = 0; s < 200; ++s) {
    for (unsigned u = 0; u < 2000; ++u) {
      live::sensed_use use = uses.next();
      if (uses.draws() % 2 == 0) use.task = invented_program::task(2);
      decides.on_use(use);
    }
    now += second;
    ASSERT_TRUE(decides.step(now));
  }
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
}

/// Whoever uses them: all who run are there.
TEST_F(Controller, BringsPagesToTheOnlyNodeWhereThreadsRun) {
  uses.who = invented_uses::pattern::all;
  uses.private_pages = 0;
  scramble();
  for (std::uint32_t t = 0; t < program.place.size(); ++t) {
    program.place[t] = pu_id(4 + t % 2);
    program.own_processors[t] = {pu_id(4), pu_id(5)};
  }
  controller decides = make();
  run(decides, 30);
  std::size_t local = 0;
  for (const auto& [page, node] : program.node_of) local += node == node_id(2) ? 1 : 0;
  EXPECT_GE(local, uses.threads * uses.shared_pages);
}

TEST_F(Controller, BringsPagesToTheOnlyThreadThatRuns) {
  uses.who = invented_uses::pattern::alone;
  scramble();
  for (std::uint32_t t = 1; t < 8; ++t) program.idle.insert(t);
  program.place[0] = pu_id(6);
  controller decides = make();
  for (unsigned s = 0; s < 30; ++s) {
    for (unsigned u = 0; u < 1000; ++u) {
      live::sensed_use use = uses.next();
      use.task = invented_program::task(0);
      use.address = uses.next_page(0).value * live::sensed_page_bytes;
      decides.on_use(use);
    }
    now += second;
    ASSERT_TRUE(decides.step(now));
  }
  std::size_t local = 0;
  for (std::uint64_t p = 0; p < uses.private_pages; ++p) {
    local += program.node_of[uses.private_page(0, p)] == program.node_of_thread(0) ? 1 : 0;
  }
  EXPECT_EQ(local, uses.private_pages);
}

/// Three threads share two processors in the moment of the decision, while others idle.
TEST_F(Controller, BindsNoThreadToANodeThatHasTooMany) {
  uses.who = invented_uses::pattern::alone;
  for (const page_number page : uses.pages()) program.node_of[page] = node_id(3);
  const std::vector<std::uint32_t> where{0, 1, 0, 2, 3, 4, 5, 6};
  for (std::uint32_t t = 0; t < 8; ++t) program.place[t] = pu_id(where[t]);
  controller decides = make();
  run(decides, 30);
  EXPECT_GE(count(deed::moved), 1U);
  EXPECT_EQ(program.bound, (std::set<std::uint32_t>{3, 4, 5, 6, 7}));
}

TEST_F(Controller, LeavesWhatFitsIntoCachesAlone) {
  uses.who = invented_uses::pattern::alone;
  options.rules.cached_bytes = 1 << 20;
  scramble();
  controller decides = make();
  run(decides, 60);
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
}

TEST_F(Controller, FollowsAChangeOfPartners) {
  uses.who = invented_uses::pattern::pairs;
  scramble();
  controller decides = make();
  run(decides, 40);
  EXPECT_EQ(program.node_of_thread(0), program.node_of_thread(1));
  // From now on thread t shares with t + 1 where t is odd.
  for (unsigned s = 0; s < 80; ++s) {
    for (unsigned u = 0; u < 4000; ++u) {
      live::sensed_use use = uses.next();
      const std::uint32_t thread = invented_program::number(use.task);
      use.task = invented_program::task((thread + 1) % uses.threads);
      decides.on_use(use);
    }
    now += second;
    ASSERT_TRUE(decides.step(now));
  }
  EXPECT_EQ(program.node_of_thread(1), program.node_of_thread(2));
  EXPECT_EQ(program.node_of_thread(7), program.node_of_thread(0));
}

TEST_F(Controller, TakesBackWhatDoesNotHelp) {
  scramble();
  program.stuck = true;
  controller decides = make();
  run(decides, 12);
  EXPECT_GE(count(deed::took_back), 1U);
  EXPECT_TRUE(program.bound.empty());
  // And it tries less and less often.
  run(decides, 2000, 400);
  EXPECT_LE(count(deed::took_back), 12U);
}

TEST_F(Controller, OnlySaysWhatItWouldDoInADryRun) {
  scramble();
  options.dry_run = true;
  controller decides = make();
  run(decides, 20);
  EXPECT_GE(count(deed::would_move), 1U);
  EXPECT_EQ(count(deed::moved), 0U);
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
}

TEST_F(Controller, LeavesThreadsThatDoNotRunAlone) {
  scramble();
  program.place.emplace_back(0);
  program.seconds.push_back(0);
  program.idle.insert(8);
  controller decides = make();
  run(decides, 30);
  EXPECT_GE(program.binds, 8U);
  EXPECT_FALSE(program.bound.contains(8));
}

TEST_F(Controller, LeavesThreadsWithAnAffinityOfTheirOwnAlone) {
  scramble();
  program.own_processors[3] = {program.place[3]};
  controller decides = make();
  run(decides, 30);
  EXPECT_GE(program.binds, 7U);
  EXPECT_FALSE(program.bound.contains(3));
}

TEST_F(Controller, LeavesPagesWithAPolicyOfTheirOwnAlone) {
  scramble();
  for (std::uint64_t p = 0; p < uses.private_pages; ++p) {
    program.with_policy.insert(uses.private_page(5, p));
  }
  controller decides = make();
  run(decides, 30);
  EXPECT_GE(count(deed::moved), 1U);
  for (const page_number page : program.with_policy) EXPECT_EQ(program.node_of[page], node_id(0));
}

TEST_F(Controller, CountsThreadsThatCannotBeBound) {
  scramble();
  program.refuses = {2};
  controller decides = make();
  run(decides, 10);
  EXPECT_GE(decides.totals().threads_refused, 1U);
}

}  // namespace
}  // namespace numatch::control
