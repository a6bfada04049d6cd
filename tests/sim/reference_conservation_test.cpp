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

/// Links between places, with what went over them.
struct used_links {
  const network_config* network;
  const std::vector<ref::network::link_use>* links;
  const std::vector<message>* messages;
};

/// Those between the nodes, and those inside the chips that have stops.
std::vector<used_links> all_links(const drawn_run& run) {
  std::vector<used_links> all{{&run.machine.config.network, &run.ended.links, &run.ended.messages}};
  for (std::size_t chip = 0; chip < run.ended.chips.size(); ++chip) {
    const ref::chip_use& use = run.ended.chips[chip];
    all.push_back({&run.machine.config.inside.chips[chip].ways, &use.links, &use.messages});
  }
  return all;
}

RC_GTEST_PROP(ReferenceConservation, EveryPlacePassesOnWhatItGetsAndDoesNotKeep, ()) {
  const drawn_run run = any_run();
  for (const used_links& used : all_links(run)) {
    for (std::size_t why = 0; why < traffic_classes; ++why) {
      for (unsigned place = 0; place < used.network->route.size(); ++place) {
        std::uint64_t in = 0, out = 0, sent = 0, received = 0;
        for (std::size_t link = 0; link < used.network->links.size(); ++link) {
          const std::uint64_t bytes = (*used.links)[link].bytes[why];
          if (used.network->links[link].to == place) in += bytes;
          if (used.network->links[link].from == place) out += bytes;
        }
        for (const message& m : *used.messages) {
          if (static_cast<std::size_t>(m.why) != why || m.from == m.to) continue;
          if (m.from == place) sent += m.bytes;
          if (m.to == place) received += m.bytes;
        }
        RC_ASSERT(in + sent == out + received);
      }
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
  std::uint64_t inside = 0;
  for (const ref::chip_use& chip : run.ended.chips) {
    for (const ref::network::link_use& link : chip.links) {
      for (const std::uint64_t bytes : link.bytes) inside += bytes;
    }
  }
  RC_ASSERT(inside == run.ended.counts.inside_bytes);
}

/// So many cycles are taken, and none of them twice.
void check_taken(const ref::calendar& busy, std::uint64_t cycles) {
  std::uint64_t taken = 0;
  std::uint64_t free_from = 0;
  for (const auto& [begin, end] : busy.taken()) {
    RC_ASSERT(begin >= free_from);
    free_from = end;
    taken += end - begin;
  }
  RC_ASSERT(taken == cycles);
}

RC_GTEST_PROP(ReferenceConservation, ALinkIsTakenForNoMoreAndNoLessThanItsMessagesNeed, ()) {
  const drawn_run run = any_run();
  for (const used_links& used : all_links(run)) {
    for (const ref::network::link_use& link : *used.links) {
      check_taken(link.busy, run.machine.config.network.queueing ? link.occupied : 0);
    }
  }
}

RC_GTEST_PROP(ReferenceConservation, BanksAreTakenForEveryLookupOfAnyChip, ()) {
  const drawn_run run = any_run();
  const machine_config& config = run.machine.config;
  if (config.inside.chips.empty() || !config.network.queueing) return;
  std::uint64_t taken = 0;
  for (const ref::chip_use& chip : run.ended.chips) {
    for (const auto& [stop, busy] : chip.banks) {
      for (const auto& [begin, end] : busy.taken()) taken += end - begin;
    }
  }
  const run_result& counts = run.ended.counts;
  RC_ASSERT(taken ==
            (counts.caches.back().accesses + counts.cache_to_cache) * config.inside.bank_busy);
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
