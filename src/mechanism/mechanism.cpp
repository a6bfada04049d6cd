// SPDX-License-Identifier: Apache-2.0
#include "mechanism/mechanism.hpp"

#include <algorithm>
#include <vector>

#include "base/suggest.hpp"

namespace numatch {

std::string_view to_string(event_kind kind) {
  switch (kind) {
    case event_kind::access:
      return "memory accesses";
    case event_kind::tlb_miss:
      return "TLB misses";
    case event_kind::tlb_evict:
      return "TLB evictions with access counts";
    case event_kind::page_fault:
      return "page faults";
    case event_kind::memory_sample:
      return "samples of cache misses";
    case event_kind::thread_start:
      return "thread starts";
    case event_kind::thread_end:
      return "thread ends";
    case event_kind::wake_up:
      return "timed wake-ups";
  }
  return "?";
}

std::string_view to_string(action_kind kind) {
  switch (kind) {
    case action_kind::move_threads:
      return "move threads";
    case action_kind::move_pages:
      return "move pages";
    case action_kind::replicate_pages:
      return "replicate pages";
    case action_kind::place_new:
      return "choose where new threads and pages start";
    case action_kind::induce_faults:
      return "induce page faults";
    case action_kind::wake_up:
      return "wake up at a set time";
  }
  return "?";
}

std::string_view to_string(page_placing how) {
  switch (how) {
    case page_placing::first_touch:
      return "first-touch";
    case page_placing::interleave:
      return "interleave";
    case page_placing::random:
      return "random";
  }
  return "?";
}

std::string_view to_string(thread_placing how) {
  switch (how) {
    case thread_placing::compact:
      return "compact";
    case thread_placing::scatter:
      return "scatter";
    case thread_placing::random:
      return "random";
    case thread_placing::linux_like:
      return "linux";
  }
  return "?";
}

result<const mechanism_entry*> find_mechanism(std::string_view name) {
  std::vector<std::string_view> known;
  for (const mechanism_entry* entry : all_mechanisms()) {
    if (entry->name == name) return entry;
    known.push_back(entry->name);
  }
  return fail("", fmt::format("unknown mechanism '{}'", name), suggest(name, known));
}

result<void> check_fit(const mechanism_entry& wanted, const world_offer& offer) {
  for (const event_kind kind : wanted.needs) {
    if (std::find(offer.events.begin(), offer.events.end(), kind) == offer.events.end()) {
      return fail("", fmt::format("{} needs {}, which {} cannot give", wanted.name, to_string(kind),
                                  offer.name));
    }
  }
  if (offer.detect_only) return {};
  for (const action_kind kind : wanted.acts) {
    if (std::find(offer.actions.begin(), offer.actions.end(), kind) == offer.actions.end()) {
      return fail("", fmt::format("{} has to {}, which {} cannot do", wanted.name, to_string(kind),
                                  offer.name));
    }
  }
  return {};
}

result<void> check_detects(const mechanism_entry& wanted) {
  if (!wanted.matrix_unit.empty()) return {};
  return fail("", fmt::format("{} detects no sharing, it only says what goes where", wanted.name),
              "choose the oracle");
}

result<void> check_threads(const mechanism_entry& wanted, std::size_t threads) {
  if (threads <= wanted.max_threads) return {};
  return fail("",
              fmt::format("{} tells at most {} threads apart, there are {}", wanted.name,
                          wanted.max_threads, threads),
              "choose the oracle");
}

}  // namespace numatch
