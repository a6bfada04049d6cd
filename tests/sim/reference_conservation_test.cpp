// SPDX-License-Identifier: Apache-2.0
// Nothing is lost and nothing comes from nowhere, whatever the program and the machine.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/every_machine.hpp"
#include "sim/random_programs.hpp"
#include "sim/reference_run.hpp"

namespace numatch::sim {
namespace {

using ref::chip_state;
using ref::message;
using ref::outcome;

struct drawn_run {
  named_machine machine;
  outcome ended;
};

drawn_run any_run() {
  const named_machine machine = *rc::gen::elementOf(every_machine());
  const unsigned threads = *rc::gen::inRange(1U, machine.shape.all_pus() + 1);
  const drawn_program drawn{threads, *drawn_steps(threads)};
  const placing pages = *rc::gen::element(placing::interleave, placing::first_touch);
  return {machine, run_reference(machine.config, drawn.made(), pages)};
}

std::size_t messages_of(const outcome& ended, traffic why) {
  std::size_t count = 0;
  for (const message& sent : ended.messages) count += sent.why == why ? 1 : 0;
  return count;
}

RC_GTEST_PROP(ReferenceConservation, EveryNodePassesOnWhatItGetsAndDoesNotKeep, ()) {
  const drawn_run run = any_run();
  const network_config& network = run.machine.config.network;
  for (std::size_t why = 0; why < traffic_classes; ++why) {
    for (unsigned node = 0; node < run.machine.config.nodes; ++node) {
      std::uint64_t in = 0, out = 0, sent = 0, received = 0;
      for (std::size_t link = 0; link < network.links.size(); ++link) {
        const std::uint64_t bytes = run.ended.links[link].bytes[why];
        if (network.links[link].to == node) in += bytes;
        if (network.links[link].from == node) out += bytes;
      }
      for (const message& m : run.ended.messages) {
        if (static_cast<std::size_t>(m.why) != why || m.from == m.to) continue;
        if (m.from == node) sent += m.bytes;
        if (m.to == node) received += m.bytes;
      }
      RC_ASSERT(in + sent == out + received);
    }
  }
}

RC_GTEST_PROP(ReferenceConservation, LinksCarryWhatTheResultSays, ()) {
  const drawn_run run = any_run();
  std::array<std::uint64_t, traffic_classes> carried{};
  for (const ref::network::link_use& link : run.ended.links) {
    for (std::size_t why = 0; why < traffic_classes; ++why) carried[why] += link.bytes[why];
  }
  RC_ASSERT(carried == run.ended.counts.traffic_bytes);
}

RC_GTEST_PROP(ReferenceConservation, ALinkIsTakenForNoMoreAndNoLessThanItsMessagesNeed, ()) {
  const drawn_run run = any_run();
  for (const ref::network::link_use& link : run.ended.links) {
    std::uint64_t taken = 0;
    std::uint64_t free_from = 0;
    for (const auto& [begin, end] : link.busy.taken()) {
      RC_ASSERT(begin >= free_from);
      free_from = end;
      taken += end - begin;
    }
    RC_ASSERT(taken == (run.machine.config.network.queueing ? link.occupied : 0));
  }
}

RC_GTEST_PROP(ReferenceConservation, EveryRequestIsAnswered, ()) {
  const drawn_run run = any_run();
  const run_result& counts = run.ended.counts;
  const std::uint64_t data = counts.local_memory + counts.remote_memory + counts.cache_to_cache;
  RC_ASSERT(data + counts.upgrades == counts.caches.back().misses);
  RC_ASSERT(messages_of(run.ended, traffic::data) == data);
  RC_ASSERT(messages_of(run.ended, traffic::forward) == counts.cache_to_cache);
  RC_ASSERT(counts.row_hits + counts.row_closed + counts.row_conflicts ==
            counts.memory_accesses() + counts.write_backs);
  // An invalidation and its acknowledgement for every line that went without its data.
  const std::size_t notices = messages_of(run.ended, traffic::invalidation);
  RC_ASSERT(notices % 2 == 0);
  RC_ASSERT(notices / 2 <= counts.invalidations);
}

RC_GTEST_PROP(ReferenceConservation, ThreadsRunForTheirInstructionsAndStalls, ()) {
  const drawn_run run = any_run();
  const run_result& counts = run.ended.counts;
  std::uint64_t clocks = 0;
  for (const std::uint64_t clock : run.ended.ended_at) {
    RC_ASSERT(clock <= counts.cycles);
    clocks += clock;
  }
  RC_ASSERT(counts.running_cycles <= clocks);
  RC_ASSERT(counts.tlb_accesses == counts.caches[0].accesses);
  for (std::size_t level = 1; level < counts.caches.size(); ++level) {
    RC_ASSERT(counts.caches[level].accesses == counts.caches[level - 1].misses);
  }
  for (const message& sent : run.ended.messages) {
    RC_ASSERT(sent.arrived.cycle >= sent.arrived.unqueued);
    RC_ASSERT(sent.arrived.cycle >= sent.sent.cycle);
  }
}

RC_GTEST_PROP(ReferenceConservation, ALineHasOneWriterOrOneOwnerAtMost, ()) {
  const drawn_run run = any_run();
  for (const auto& [line, states] : run.ended.states) {
    const auto count = [&](chip_state wanted) {
      return std::count(states.begin(), states.end(), wanted);
    };
    const auto alone = count(chip_state::modified) + count(chip_state::exclusive);
    RC_ASSERT(alone <= 1);
    RC_ASSERT(count(chip_state::owned) <= 1);
    if (alone == 1) RC_ASSERT(count(chip_state::shared) + count(chip_state::owned) == 0);
  }
}

}  // namespace
}  // namespace numatch::sim
