// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/runtime.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "library/executors.hpp"

namespace numatch {
namespace {

class Runtime : public testing::TestWithParam<way> {
 protected:
  Runtime() : nodes_(topology::parse(GetParam().shape), options_of(GetParam())) {}
  runtime nodes_;
};
INSTANTIATE_TEST_SUITE_P(All, Runtime, testing::ValuesIn(all_ways()), name_of);

TEST_P(Runtime, EveryNodeWorksOnceAndKnowsWhereItIs) {
  std::mutex lock;
  std::multiset<std::size_t> seen;
  bool right = true;
  nodes_.for_each_node([&](std::size_t node) {
    const std::lock_guard<std::mutex> held(lock);
    seen.insert(node);
    right = right && nodes_.here() == node;
  });
  EXPECT_EQ(seen.size(), nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node) EXPECT_EQ(seen.count(node), 1u);
  EXPECT_TRUE(right);
  EXPECT_EQ(nodes_.here(), 0u);
}

TEST_P(Runtime, AResultComesBackFromItsNode) {
  const std::size_t last = nodes_.size() - 1;
  EXPECT_EQ(nodes_.run_on(last, [&] { return nodes_.here(); }), last);
  const std::string text = nodes_.run_on(last, [] { return std::string("moved, not copied"); });
  EXPECT_EQ(text, "moved, not copied");
}

TEST_P(Runtime, OneFailureIsThrownAsItIs) {
  const std::size_t last = nodes_.size() - 1;
  std::atomic<std::size_t> ended{0};
  EXPECT_THROW(nodes_.for_each_node([&](std::size_t node) {
    ++ended;
    if (node == last) throw std::out_of_range("on purpose");
  }),
               std::out_of_range);
  EXPECT_EQ(ended, nodes_.size());
}

TEST_P(Runtime, SeveralFailuresAreAllKept) {
  if (nodes_.size() == 1) GTEST_SKIP() << "one node fails alone";
  try {
    nodes_.for_each_node([](std::size_t node) { throw std::runtime_error(std::to_string(node)); });
    FAIL() << "nothing was thrown";
  } catch (const parts_failed& failed) {
    ASSERT_EQ(failed.failures().size(), nodes_.size());
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      EXPECT_EQ(failed.failures()[node].part, node);
      try {
        std::rethrow_exception(failed.failures()[node].reason);
      } catch (const std::runtime_error& reason) {
        EXPECT_EQ(reason.what(), std::to_string(node));
      }
    }
  }
}

TEST_P(Runtime, WorkIsSharedWithinTheNodeEachIndexOnce) {
  constexpr std::size_t count = 1000;
  std::vector<std::atomic<int>> done(count * nodes_.size());
  std::atomic<bool> at_home{true};
  nodes_.for_each_node([&](std::size_t node) {
    nodes_.for_each_here(count, 7, [&](std::size_t i) {
      ++done[node * count + i];
      if (nodes_.here() != node) at_home = false;
    });
  });
  for (const std::atomic<int>& times : done) ASSERT_EQ(times, 1);
  EXPECT_TRUE(at_home);
}

TEST_P(Runtime, SharedWorkOutsideOfTasksIsDoneByTheCaller) {
  std::set<std::thread::id> who;
  nodes_.for_each_here(20, 3, [&](std::size_t) { who.insert(std::this_thread::get_id()); });
  EXPECT_EQ(who, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_P(Runtime, AFailureInSharedWorkIsThrownAfterAllPiecesEnded) {
  std::atomic<int> ended{0};
  nodes_.for_each_node([&](std::size_t) {
    EXPECT_THROW(nodes_.for_each_here(50, 1,
                                      [&](std::size_t i) {
                                        ++ended;
                                        if (i == 20) throw std::invalid_argument("on purpose");
                                      }),
                 std::invalid_argument);
  });
  EXPECT_EQ(ended, 50 * static_cast<int>(nodes_.size()));
}

TEST_P(Runtime, TasksMayDispatchToAllNodes) {
  std::atomic<std::size_t> inner{0};
  nodes_.for_each_node([&](std::size_t) { nodes_.for_each_node([&](std::size_t) { ++inner; }); });
  EXPECT_EQ(inner, nodes_.size() * nodes_.size());
}

TEST_P(Runtime, SeveralCallersMayDispatchAtOnce) {
  std::atomic<std::size_t> calls{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) nodes_.for_each_node([&](std::size_t) { ++calls; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 50 * nodes_.size());
}

runtime_options stealing_is(backend by, stealing steal) {
  runtime_options options;
  options.run_by = by;
  options.execution.steal = steal;
  return options;
}

std::vector<backend> all_backends() {
#ifdef __SANITIZE_THREAD__
  return {backend::pinned_pool};
#else
  return {backend::pinned_pool, backend::arenas};
#endif
}

TEST(Stealing, ByDefaultNoOtherNodesThreadTakesWork) {
  EXPECT_EQ(executor_options().steal, stealing::never);
  for (const backend by : all_backends()) {
    runtime nodes(topology::parse("node:2 core:1 pu:1"), stealing_is(by, stealing::never));
    for (int round = 0; round < 50; ++round) {
      std::mutex lock;
      std::set<std::thread::id> who;  // a node has one thread here
      nodes.run_on(1, [&] {
        nodes.for_each_here(100, 1, [&](std::size_t) {
          const std::lock_guard<std::mutex> held(lock);
          who.insert(std::this_thread::get_id());
        });
      });
      ASSERT_EQ(who.size(), 1u);
    }
  }
}

TEST(Stealing, WhenWantedAnIdleNodeHelpsTheBusyOne) {
  for (const backend by : all_backends()) {
    runtime nodes(topology::parse("node:2 core:1 pu:1"), stealing_is(by, stealing::any));
    // Node 0 has one thread, and each piece waits until both have begun: only help can end this.
    std::atomic<int> begun{0};
    nodes.run_on(0, [&] {
      nodes.for_each_here(2, 1, [&](std::size_t) {
        ++begun;
        while (begun < 2) std::this_thread::yield();
      });
    });
    EXPECT_EQ(begun, 2);
  }
}

TEST(Arenas, ACallerDoesItselfWhatNobodyHasBegun) {
  for (const backend by : all_backends()) {
    if (by != backend::arenas) continue;
    // Room in the node's arena for the caller, and no thread of it is awake.
    runtime nodes(topology::parse("node:2 core:2 pu:1"), stealing_is(by, stealing::never));
    EXPECT_EQ(nodes.run_on(1, [] { return std::this_thread::get_id(); }),
              std::this_thread::get_id());
  }
}

TEST(Arenas, WhatACallerDoesItselfIsOnTheNodeAndInsideATask) {
  for (const backend by : all_backends()) {
    if (by != backend::arenas) continue;
    runtime nodes(topology::parse("node:2 core:2 pu:1"), stealing_is(by, stealing::never));
    EXPECT_EQ(nodes.run_on(1, [&] { return nodes.here(); }), 1u);
    EXPECT_EQ(nodes.run_on(1, [&] { return nodes.run_on(0, [&] { return nodes.here(); }); }), 0u);
    EXPECT_EQ(nodes.here(), 0u);
    EXPECT_THROW(nodes.run_on(1, [] { throw std::runtime_error("no"); }), std::runtime_error);
  }
}

TEST(RuntimeOnOneNode, WorksInTheCaller) {
  runtime nodes(topology::parse("node:1 core:1 pu:1"));
  std::thread::id who;
  nodes.for_each_node([&](std::size_t) { who = std::this_thread::get_id(); });
  EXPECT_EQ(who, std::this_thread::get_id());
}

TEST(RuntimeOnTwoProcessors, WorkStaysOnTheOwnersProcessors) {
  topology machine = topology::system();
  if (machine.cpus() < 2) GTEST_SKIP() << "one processor";
  const unsigned first = machine[0].cpus[0];
  const unsigned second = machine.size() > 1 ? machine[1].cpus[0] : machine[0].cpus[1];
  for (const backend by : {backend::pinned_pool, backend::arenas}) {
#ifdef __SANITIZE_THREAD__
    if (by == backend::arenas) continue;
#endif
    runtime_options options;
    options.run_by = by;
    runtime nodes(topology::parse(std::to_string(first) + ":" + std::to_string(second)), options);
    for (int i = 0; i < 20; ++i) {
      nodes.for_each_node([&](std::size_t node) {
        EXPECT_EQ(static_cast<unsigned>(sched_getcpu()), node == 0 ? first : second);
      });
    }
  }
}

TEST(RuntimeOnTwoProcessors, TheCallerKeepsItsAffinity) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  {
    runtime_options options;
    options.run_by = backend::arenas;
#ifdef __SANITIZE_THREAD__
    options.run_by = backend::pinned_pool;
#endif
    runtime nodes(topology::parse(topology::system().str()), options);
    nodes.for_each_node([](std::size_t) {});
  }
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace numatch
