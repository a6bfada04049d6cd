// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fake_world.hpp"
#include "topology/topology.hpp"

namespace numatch::test {

inline constexpr std::uint64_t ms = 1'000'000;

/// Four nodes of two PUs: PU p is on node p / 2. Thread t runs on PU t.
class four_nodes : public testing::Test {
 protected:
  four_nodes() : machine(topology::load("numa:4 core:2 pu:1").value()) {
    where.known_machine = &machine;
  }

  std::unique_ptr<mechanism> begin(std::string_view name, std::uint32_t threads,
                                   const std::map<std::string, std::string>& given = {}) {
    std::unique_ptr<mechanism> made = make_mechanism(name, given);
    made->on_begin(where);
    for (std::uint32_t t = 0; t < threads; ++t) {
      where.pu_of_thread[t] = t % 8;
      made->on_thread_start(thread_id(t), where);
    }
    return made;
  }
  void wake(mechanism& m, std::uint64_t at) {
    where.time = {at};
    m.on_wake_up(where);
  }
  /// The fake world's tickets count from 1 in the order of the requests.
  void outcome(mechanism& m, std::uint64_t request, bool done,
               action_kind action = action_kind::move_pages) {
    m.on_outcome({ticket{request}, action, done, done ? "" : "no room"}, where);
  }
  node_id node_of_thread(std::uint32_t thread) const {
    return machine.node_of(pu_id(where.pu_of_thread.at(thread)));
  }

  topology machine;
  fake_world where;
};

using page_move = std::pair<std::uint64_t, std::uint32_t>;
using page_moves = std::vector<page_move>;

}  // namespace numatch::test
