// SPDX-License-Identifier: Apache-2.0
#include "sim/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace numatch::sim {
namespace {

TEST(ThreadTeam, EveryMemberDoesItsWorkOnceInEveryRound) {
  for (const unsigned members : {1U, 2U, 3U, 8U, 40U}) {
    thread_team team(members);
    std::vector<std::uint64_t> done(members, 0);  // not atomic: a round ends before the next begins
    constexpr std::uint64_t rounds = 2000;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      team.run([&](unsigned member) { done[member] += round; });
    }
    EXPECT_EQ(done, std::vector<std::uint64_t>(members, rounds * (rounds - 1) / 2)) << members;
  }
}

TEST(ThreadTeam, AloneTheCallerDoesAll) {
  thread_team team(1);
  std::thread::id who;
  team.run([&](unsigned) { who = std::this_thread::get_id(); });
  EXPECT_EQ(who, std::this_thread::get_id());
}

TEST(ThreadTeam, WhatAMemberThrowsComesOutAndTheTeamGoesOn) {
  thread_team team(3);
  std::atomic<int> done = 0;
  EXPECT_THROW(team.run([&](unsigned member) {
    ++done;
    if (member == 2) throw std::runtime_error("member 2");
  }),
               std::runtime_error);
  EXPECT_EQ(done, 3);
  team.run([&](unsigned) { ++done; });
  EXPECT_EQ(done, 6);
}

}  // namespace
}  // namespace numatch::sim
