// SPDX-License-Identifier: Apache-2.0
#include "control/placement_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace numatch::control {

namespace {

constexpr std::size_t teaches = 0;  ///< the half that decides
constexpr std::size_t tests = 1;    ///< the half that it is tried on

using thread_nodes = std::vector<std::optional<node_id>>;

thread_nodes present_nodes(const plan_input& input) {
  thread_nodes nodes;
  for (const thread_state& thread : input.threads) {
    nodes.push_back(thread.pu ? std::optional(input.machine.node_of(*thread.pu)) : std::nullopt);
  }
  return nodes;
}

/// Whose pages are in its cache wherever they lie.
bool is_cached(const memory_unit& unit, const plan_input& input, const plan_rules& rules) {
  return unit.users.size() == 1 &&
         input.bytes_used[unit.users.front().thread] <= rules.cached_bytes;
}

/// Where a unit belongs by the uses that `amount` counts; nullopt: where it is.
template <class Amount>
std::optional<node_id> better_node(const memory_unit& unit, node_id present,
                                   const thread_nodes& threads, const plan_input& input,
                                   const plan_rules& rules, const Amount& amount) {
  std::vector<double> by_node(input.machine.node_count(), 0);
  double sum = 0;
  for (const thread_uses& uses : unit.users) {
    if (uses.thread >= threads.size() || !threads[uses.thread]) continue;
    by_node[threads[uses.thread]->index()] += amount(uses);
    sum += amount(uses);
  }
  if (sum <= 0) return std::nullopt;
  std::optional<node_id> best;
  for (const node_id node : input.page_targets) {
    if (!best || by_node[node.index()] > by_node[best->index()]) best = node;
  }
  if (!best || *best == present) return std::nullopt;
  const double most = by_node[best->index()];
  const bool pays =
      most >= rules.page_share * sum && most > rules.page_margin * by_node[present.index()];
  return pays ? best : std::nullopt;
}

/// What a placement would have made of the uses of the other half.
struct trial {
  double uses = 0;
  double local_now = 0;
  double local_then = 0;
  double changed = 0;  ///< uses that become local or remote
  double alike = 0;    ///< the gain if all pages had been used alike by those who were seen
  double by_time = 0;  ///< the same, by all who run, in proportion to their processor time
  double gain() const { return local_then - local_now; }
  /// What the pages themselves show, and what holds whoever uses them.
  double believed() const { return std::min(gain(), gain() - alike + by_time); }
};

/// Where some threads are before and after, as shares of what they did; all 0: there were none.
class node_shares {
 public:
  node_shares(const plan_input& input, const thread_nodes& now, const thread_nodes& then)
      : nodes_now_(now),
        nodes_then_(then),
        now_(input.machine.node_count(), 0),
        then_(input.machine.node_count(), 0) {}

  void add(std::uint32_t thread, double amount) {
    if (thread >= nodes_now_.size() || !nodes_now_[thread]) return;
    now_[nodes_now_[thread]->index()] += amount;
    then_[nodes_then_[thread]->index()] += amount;
    sum_ += amount;
  }
  bool any() const { return sum_ > 0; }
  /// Of uses of a page that goes from one node to another, the share that becomes local.
  double gain(node_id from, node_id to) const {
    return any() ? (then_[to.index()] - now_[from.index()]) / sum_ : 0;
  }

 private:
  const thread_nodes& nodes_now_;
  const thread_nodes& nodes_then_;
  std::vector<double> now_;
  std::vector<double> then_;
  double sum_ = 0;
};

/// What a placement would have gained if all pages had been used alike.
class null_model {
 public:
  null_model(const plan_input& input, const thread_nodes& now, const thread_nodes& then)
      : running_(input, now, then) {
    for (std::uint32_t t = 0; t < input.threads.size(); ++t) {
      if (input.threads[t].runs) running_.add(t, input.threads[t].seconds);
    }
    for (const stretch_of_time& stretch : input.stretches) {
      const node_shares nobody(input, now, then);
      both_kinds& seen = seen_.emplace(stretch.number, both_kinds{nobody, nobody}).first->second;
      for (const thread_share& thread : stretch.threads) {
        seen.all.add(thread.thread, thread.uses);
        seen.shared.add(thread.thread, thread.of_shared);
      }
    }
  }

  double by_time(node_id from, node_id to) const { return running_.gain(from, to); }
  /// Of the uses of a unit in the stretches of the half that tests.
  double alike(const memory_unit& unit, node_id from, node_id to) const {
    const bool alone = is_one_threads(unit.users);
    double sum = 0;
    double gained = 0;
    for (const stretch_uses& uses : unit.when) {
      const auto known = seen_.find(uses.stretch);
      if (uses.stretch % 2 != tests || known == seen_.end()) continue;
      const node_shares& seen = alone ? known->second.all : known->second.shared;
      if (!seen.any()) continue;
      sum += uses.uses;
      gained += uses.uses * seen.gain(from, to);
    }
    return sum > 0 ? gained / sum : 0;
  }

 private:
  /// What all threads have of their own, stacks for one, says nothing about who uses the rest.
  struct both_kinds {
    node_shares all;
    node_shares shared;
  };
  node_shares running_;
  std::map<std::uint64_t, both_kinds> seen_;
};

trial try_on(const thread_nodes& now, const thread_nodes& then, const plan_input& input,
             const plan_rules& rules) {
  trial found;
  const null_model expected(input, now, then);
  for (std::size_t u = 0; u < input.units.size(); ++u) {
    const memory_unit& unit = input.units[u];
    if (!input.unit_nodes[u] || is_cached(unit, input, rules)) continue;
    const node_id present = *input.unit_nodes[u];
    const std::optional<node_id> better =
        input.may_move[u] ? better_node(unit, present, then, input, rules,
                                        [](const thread_uses& uses) { return uses.half[teaches]; })
                          : std::nullopt;
    const node_id placed = better.value_or(present);
    const double before = found.uses;
    for (const thread_uses& uses : unit.users) {
      if (uses.thread >= now.size() || !now[uses.thread]) continue;
      const double amount = uses.half[tests];
      const bool was_local = *now[uses.thread] == present;
      const bool is_local = *then[uses.thread] == placed;
      found.uses += amount;
      found.local_now += was_local ? amount : 0;
      found.local_then += is_local ? amount : 0;
      found.changed += was_local != is_local ? amount : 0;
    }
    const double uses_of_unit = found.uses - before;
    if (uses_of_unit <= 0) continue;
    found.alike += uses_of_unit * expected.alike(unit, present, placed);
    found.by_time += uses_of_unit * expected.by_time(present, placed);
  }
  return found;
}

/// Threads that may be mapped: those that run, and of these the ones with the same processors as
/// most of them.
std::vector<std::uint32_t> movable_threads(const plan_input& input) {
  std::map<std::vector<pu_id>, std::vector<std::uint32_t>> by_processors;
  for (std::uint32_t t = 0; t < input.threads.size(); ++t) {
    const thread_state& thread = input.threads[t];
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
  if (movable.size() < 2) return std::nullopt;
  const sharing_matrix sharing = sharing_of(input.units, movable, teaches);
  if (sharing.total() <= 0) return std::nullopt;
  thread_mapping present;
  for (const std::uint32_t t : movable) present.pu_of.push_back(*input.threads[t].pu);
  const result<const mapping_algorithm*> algorithm = find_algorithm("numatch");
  if (!algorithm) return std::nullopt;
  mapping_request request{
      .sharing = sharing, .machine = input.machine, .distances = input.distances};
  request.budget = mapping_budget::online;
  request.allowed = input.threads[movable.front()].may_use;
  request.current = &present;
  request.move_cost = stable_move_cost(request);
  const result<mapping_answer> answer = map_threads(**algorithm, request);
  if (!answer) return std::nullopt;
  thread_nodes then = now;
  for (std::size_t i = 0; i < movable.size(); ++i) {
    then[movable[i]] = input.machine.node_of(answer->mapping.pu_of[i]);
  }
  return then;
}

std::vector<planned_page> pages_for(const thread_nodes& then, const plan_input& input,
                                    const plan_rules& rules) {
  std::vector<planned_page> pages;
  for (std::size_t u = 0; u < input.units.size(); ++u) {
    const memory_unit& unit = input.units[u];
    if (!input.unit_nodes[u] || !input.may_move[u] || is_cached(unit, input, rules)) continue;
    double seen = 0;
    for (const thread_uses& uses : unit.users) seen += uses.all();
    if (seen < rules.page_uses) continue;
    const node_id present = *input.unit_nodes[u];
    const std::optional<node_id> better = better_node(
        unit, present, then, input, rules, [](const thread_uses& uses) { return uses.all(); });
    if (better) pages.push_back({unit.page, unit.bytes, present, *better});
  }
  return pages;
}

placement_plan plan_for(const std::vector<std::uint32_t>& movable, const thread_nodes& now,
                        const thread_nodes& then, const plan_input& input,
                        const plan_rules& rules) {
  placement_plan plan;
  const trial found = try_on(now, then, input, rules);
  plan.uses = found.uses;
  if (found.uses > 0) {
    plan.remote_now = 1 - found.local_now / found.uses;
    plan.remote_then = plan.remote_now - found.believed() / found.uses;
  }
  for (const std::uint32_t t : movable) plan.threads.push_back({t, *now[t], *then[t]});
  plan.pages = pages_for(then, input, rules);
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

placement_plan plan_placement(const plan_input& input, const plan_rules& rules) {
  const thread_nodes now = present_nodes(input);
  const std::vector<std::uint32_t> movable = movable_threads(input);
  placement_plan stay = plan_for(movable, now, now, input, rules);
  const std::optional<thread_nodes> then = mapped_nodes(movable, now, input);
  if (!then || *then == now) return stay;
  placement_plan move = plan_for(movable, now, *then, input, rules);
  const double stay_net = stay.acts ? stay.gain_seconds - stay.cost_seconds : 0;
  const double move_net = move.acts ? move.gain_seconds - move.cost_seconds : 0;
  // Threads move for what moving them adds alone.
  const bool adds = stay.remote_then - move.remote_then >= rules.least_gain;
  if (move.acts && adds && move_net > stay_net) return move;
  return stay;
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
