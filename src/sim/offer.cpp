// SPDX-License-Identifier: Apache-2.0
#include "sim/offer.hpp"

#include <array>

namespace numatch::sim {

namespace {

constexpr std::array events{event_kind::access,        event_kind::tlb_miss,
                            event_kind::tlb_evict,     event_kind::page_fault,
                            event_kind::memory_sample, event_kind::thread_start,
                            event_kind::thread_end,    event_kind::wake_up};
constexpr std::array actions{action_kind::move_threads,    action_kind::move_pages,
                             action_kind::replicate_pages, action_kind::induce_faults,
                             action_kind::place_new,       action_kind::wake_up};

}  // namespace

world_offer simulation_offer() {
  return {"the simulated machine", events, actions, false};
}

}  // namespace numatch::sim
