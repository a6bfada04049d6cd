// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/placement_trial.hpp"
#include "mapping/mapper.hpp"
#include "topology/topology.hpp"

namespace numatch::control {

struct plan_rules {
  double least_gain = 0.01;        ///< share of all uses that must become local
  double certainty = 4;            ///< standard deviations by which the gain must be above chance
  double least_uses = 100;         ///< in the half that a plan is tried on
  double page_uses = 2;            ///< a page must have been seen so often to move
  double page_share = 0.5;         ///< and so much of its uses must come from its new node
  double page_margin = 1.5;        ///< and so many times as many as from its present one
  std::uint64_t cached_bytes = 0;  ///< a thread that uses no more than that has it in its cache
  // What moving costs and a local use gains, in seconds; upper ends, see docs/run.md.
  double seconds_per_page = 10e-6;
  double seconds_per_byte = 0.5e-9;
  double seconds_per_thread = 1e-3;
  double horizon = 10;  ///< seconds for which a placement is thought to last
  double memory_share =
      0.1;  ///< of its time that a program waits for remote memory if all is remote
};

struct plan_input {
  seen_program seen;
  const distance_table& distances;
  double processors = 1;  ///< that the program kept busy lately
};

/// What a plan may consist of.
struct plan_parts {
  bool own_pages = true;     ///< that one thread uses alone, where threads stay
  bool shared_pages = true;  ///< others, where threads stay
  bool threads = true;       ///< with all pages that go with them
  bool any() const { return own_pages || shared_pages || threads; }
};

struct planned_thread {
  std::uint32_t thread = 0;
  node_id from;
  node_id to;
};
struct planned_page {
  page_number page;
  std::uint64_t bytes = 4096;
  node_id from;
  node_id to;
};

/// What should be done, and why. Shares are of the uses that were seen, 0 to 1.
struct placement_plan {
  bool acts = false;
  std::string why;                      ///< one clause
  std::vector<planned_thread> threads;  ///< all that are to be bound; some are there already
  std::vector<planned_page> pages;
  double uses = 0;          ///< that it was tried on
  double remote_now = 0;    ///< sampled
  double remote_then = 0;   ///< calculated, of the gain that is believed
  double gain_seconds = 0;  ///< of processor time within the horizon, calculated
  double cost_seconds = 0;  ///< calculated
  std::size_t threads_moved() const;
};

/// The best that can be done where threads stay, and with threads that move, if a mapping of them
/// is another.
struct plan_candidates {
  placement_plan stay;
  std::optional<placement_plan> move;
  /// The better one that acts; `stay` where none does, with the reason. Threads move only for what
  /// moving them adds.
  const placement_plan& better(const plan_rules& rules) const;
};

/// Decides where threads and pages should be. One half of the uses maps the threads (algorithm
/// numatch, starting from where they are) and chooses the pages; how many uses become local is
/// counted on the other half. So what looks better by chance alone, as anything does where all
/// threads use all pages, gains nothing.
///
/// Of that gain only so much is believed as the pages themselves show. Where threads take turns on
/// few processors, each has all the pages for a while and looks like their owner; so the gain is
/// compared with what the same placement would have gained if all pages had been used alike: each,
/// in each stretch of time, by the threads that were seen in that stretch, in proportion to how
/// often. What is above that is owed to the pages; the rest counts only as far as it would be
/// gained if every thread that runs used all pages in proportion to its processor time, as where
/// all threads are on one node and their pages on another.
///
/// Pages that one thread uses alone do not count when all that it uses fits into its cache.
/// Threads keep to the processors that they may use; nodes without processors get no pages.
/// A pure function: it asks and changes nothing.
plan_candidates plan_placement(const plan_input& input, const plan_rules& rules,
                               const plan_parts& parts = {});

/// Bytes of the largest cache that one core has for itself; 0: the machine does not say.
std::uint64_t private_cache_bytes(const topology& machine);

}  // namespace numatch::control
