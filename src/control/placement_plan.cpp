// SPDX-License-Identifier: Apache-2.0
#include "control/placement_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace numatch::control {

namespace {

/// Where a unit belongs by the uses that `amount` counts; nullopt: where it is.
template <class Amount>
std::optional<node_id> better_node(const memory_unit& unit, node_id present,
                                   const thread_nodes& threads, const seen_program& seen,
                                   const plan_rules& rules, const Amount& amount) {
  std::vector<double> by_node(seen.machine.node_count(), 0);
  double sum = 0;
  for (const thread_uses& uses : unit.users) {
    if (uses.thread >= threads.size() || !threads[uses.thread]) continue;
    by_node[threads[uses.thread]->index()] += amount(uses);
    sum += amount(uses);
  }
  if (sum <= 0) return std::nullopt;
  std::optional<node_id> best;
  for (const node_id node : seen.page_targets) {
    if (!best || by_node[node.index()] > by_node[best->index()]) best = node;
  }
  if (!best || *best == present) return std::nullopt;
  const double most = by_node[best->index()];
  const bool pays =
      most >= rules.page_share * sum && most > rules.page_margin * by_node[present.index()];
  return pays ? best : std::nullopt;
}

/// Whether a plan may send the unit somewhere.
bool may_go(std::size_t u, const seen_program& seen, const plan_rules& rules,
            const plan_parts& parts) {
  const memory_unit& unit = seen.units[u];
  if (!seen.unit_nodes[u] || !seen.may_move[u]) return false;
  if (is_cached(unit, seen, rules.cached_bytes)) return false;
  return is_one_threads(unit.users) ? parts.own_pages : parts.shared_pages;
}

/// Where units go by what the half that decides says, to be tried on the other.
tried_placement taught_placement(const thread_nodes& then, const seen_program& seen,
                                 const plan_rules& rules, const plan_parts& parts) {
  tried_placement taught{then, {}, {}};
  for (std::size_t u = 0; u < seen.units.size(); ++u) {
    std::optional<node_id> better;
    if (may_go(u, seen, rules, parts)) {
      better = better_node(seen.units[u], *seen.unit_nodes[u], then, seen, rules,
                           [](const thread_uses& uses) { return uses.half[teaching_half]; });
    }
    taught.units.push_back(better);
    taught.own.push_back(is_one_threads(seen.units[u].users) ? 1 : 0);
  }
  return taught;
}

/// Threads that may be mapped: those that run, and of these the ones with the same processors as
/// most of them.
std::vector<std::uint32_t> movable_threads(const seen_program& seen) {
  std::map<std::vector<pu_id>, std::vector<std::uint32_t>> by_processors;
  for (std::uint32_t t = 0; t < seen.threads.size(); ++t) {
    const thread_state& thread = seen.threads[t];
    if (thread.pu && thread.runs && !thread.may_use.empty())
      by_processors[thread.may_use].push_back(t);
  }
  const auto most = std::max_element(
      by_processors.begin(), by_processors.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == by_processors.end() ? std::vector<std::uint32_t>{} : most->second;
}

/// Nothing when nothing is shared or no mapping is possible.
std::optional<thread_nodes> mapped_nodes(const std::vector<std::uint32_t>& movable,
                                         const thread_nodes& now, const plan_input& input) {
  const seen_program& seen = input.seen;
  if (movable.size() < 2) return std::nullopt;
  const sharing_matrix sharing = sharing_of(seen.units, movable, teaching_half);
  if (sharing.total() <= 0) return std::nullopt;
  thread_mapping present;
  for (const std::uint32_t t : movable) present.pu_of.push_back(*seen.threads[t].pu);
  const result<const mapping_algorithm*> algorithm = find_algorithm("numatch");
  if (!algorithm) return std::nullopt;
  mapping_request request{
      .sharing = sharing, .machine = seen.machine, .distances = input.distances};
  request.budget = mapping_budget::online;
  request.allowed = seen.threads[movable.front()].may_use;
  request.current = &present;
  request.move_cost = stable_move_cost(request);
  const result<mapping_answer> answer = map_threads(**algorithm, request);
  if (!answer) return std::nullopt;
  thread_nodes then = now;
  for (std::size_t i = 0; i < movable.size(); ++i) {
    then[movable[i]] = seen.machine.node_of(answer->mapping.pu_of[i]);
  }
  return then;
}

std::vector<planned_page> pages_for(const thread_nodes& then, const seen_program& seen,
                                    const plan_rules& rules, const plan_parts& parts) {
  std::vector<planned_page> pages;
  for (std::size_t u = 0; u < seen.units.size(); ++u) {
    if (!may_go(u, seen, rules, parts)) continue;
    const memory_unit& unit = seen.units[u];
    double uses_seen = 0;
    for (const thread_uses& uses : unit.users) uses_seen += uses.all();
    if (uses_seen < rules.page_uses) continue;
    const node_id present = *seen.unit_nodes[u];
    const std::optional<node_id> better = better_node(
        unit, present, then, seen, rules, [](const thread_uses& uses) { return uses.all(); });
    if (better) pages.push_back({unit.page, unit.bytes, present, *better});
  }
  return pages;
}

/// The nodes that have more of these threads than go there when all processors get as many, or one
/// more: there some wait while processors elsewhere idle, which the system ends if nobody binds
/// them.
std::set<node_id> crowded_nodes(const std::vector<std::uint32_t>& movable, const thread_nodes& then,
                                const seen_program& seen) {
  std::map<node_id, std::size_t> threads;
  for (const std::uint32_t t : movable) ++threads[*then[t]];
  std::map<node_id, std::size_t> processors;
  std::size_t all = 0;
  if (!movable.empty()) {
    for (const pu_id pu : seen.threads[movable.front()].may_use) {
      ++processors[seen.machine.node_of(pu)];
      ++all;
    }
  }
  std::set<node_id> crowded;
  for (const auto& [node, count] : threads) {
    const std::size_t each = (movable.size() + all - 1) / all;
    if (count > each * processors[node]) crowded.insert(node);
  }
  return crowded;
}

placement_plan plan_for(const std::vector<std::uint32_t>& movable, const thread_nodes& now,
                        const thread_nodes& then, const plan_input& input, const plan_rules& rules,
                        const plan_parts& parts) {
  placement_plan plan;
  const trial found =
      try_placement(input.seen, rules.cached_bytes, now,
                    taught_placement(then, input.seen, rules, parts), tried_uses::testing_half)
          .all();
  plan.uses = found.uses;
  if (found.uses > 0) {
    plan.remote_now = 1 - found.local_now / found.uses;
    plan.remote_then = plan.remote_now - found.believed() / found.uses;
  }
  const std::set<node_id> crowded = crowded_nodes(movable, then, input.seen);
  for (const std::uint32_t t : movable) {
    if (!crowded.contains(*then[t])) plan.threads.push_back({t, *now[t], *then[t]});
  }
  plan.pages = pages_for(then, input.seen, rules, parts);
  double bytes = 0;
  for (const planned_page& page : plan.pages) bytes += static_cast<double>(page.bytes);
  plan.cost_seconds = rules.seconds_per_page * static_cast<double>(plan.pages.size()) +
                      rules.seconds_per_byte * bytes +
                      rules.seconds_per_thread * static_cast<double>(plan.threads_moved());
  plan.gain_seconds =
      (plan.remote_now - plan.remote_then) * rules.horizon * input.processors * rules.memory_share;
  if (found.uses < rules.least_uses) {
    plan.why = "too little was seen";
  } else if (plan.threads_moved() == 0 && plan.pages.empty()) {
    plan.why = "all is where it belongs";
  } else if (found.gain() < rules.least_gain * found.uses) {
    plan.why = "it would gain too little";
  } else if (found.gain() < rules.certainty * std::sqrt(found.changed)) {
    plan.why = "its gain could be chance";
  } else if (found.believed() <
             std::max(rules.least_gain * found.uses, rules.certainty * std::sqrt(found.changed))) {
    plan.why = "no page is one thread's more than the others are";
  } else if (plan.gain_seconds <= plan.cost_seconds) {
    plan.why = "moving costs more than it gains";
  } else {
    plan.acts = true;
    plan.why = "the gain is above the cost";
  }
  return plan;
}

}  // namespace

std::size_t placement_plan::threads_moved() const {
  return static_cast<std::size_t>(
      std::count_if(threads.begin(), threads.end(),
                    [](const planned_thread& thread) { return thread.from != thread.to; }));
}

const placement_plan& plan_candidates::better(const plan_rules& rules) const {
  if (!move || !move->acts) return stay;
  const double stay_net = stay.acts ? stay.gain_seconds - stay.cost_seconds : 0;
  const double move_net = move->gain_seconds - move->cost_seconds;
  const bool adds = stay.remote_then - move->remote_then >= rules.least_gain;
  return adds && move_net > stay_net ? *move : stay;
}

plan_candidates plan_placement(const plan_input& input, const plan_rules& rules,
                               const plan_parts& parts) {
  const thread_nodes now = present_nodes(input.seen);
  const std::vector<std::uint32_t> movable = movable_threads(input.seen);
  plan_candidates found{plan_for(movable, now, now, input, rules, parts), std::nullopt};
  if (!parts.threads) return found;
  const std::optional<thread_nodes> then = mapped_nodes(movable, now, input);
  if (then && *then != now) found.move = plan_for(movable, now, *then, input, rules, {});
  return found;
}

std::uint64_t private_cache_bytes(const topology& machine) {
  std::uint64_t largest = 0;
  for (const cache_level& level : machine.caches()) {
    std::map<unsigned, std::set<unsigned>> cores_of;
    for (std::size_t pu = 0; pu < level.group.size(); ++pu) {
      if (level.group[pu] == no_cache) continue;
      cores_of[level.group[pu]].insert(machine.core_of(pu_id(static_cast<std::uint32_t>(pu))));
    }
    const bool is_private = std::all_of(cores_of.begin(), cores_of.end(),
                                        [](const auto& cache) { return cache.second.size() == 1; });
    if (is_private && !cores_of.empty()) largest = std::max(largest, level.bytes);
  }
  return largest;
}

}  // namespace numatch::control
