// SPDX-License-Identifier: Apache-2.0
#include "control/placement_trial.hpp"

#include <map>

namespace numatch::control {

namespace {

/// Where some threads are before and after, as shares of what they did; all 0: there were none.
class node_shares {
 public:
  node_shares(std::size_t nodes, const thread_nodes& now, const thread_nodes& then)
      : nodes_now_(now), nodes_then_(then), now_(nodes, 0), then_(nodes, 0) {}

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
  null_model(const seen_program& seen, const thread_nodes& now, const thread_nodes& then,
             tried_uses what)
      : running_(seen.machine.node_count(), now, then) {
    for (std::uint32_t t = 0; t < seen.threads.size(); ++t) {
      if (seen.threads[t].runs) running_.add(t, seen.threads[t].seconds);
    }
    for (const stretch_of_time& stretch : seen.stretches) {
      const bool counts = what == tried_uses::testing_half
                              ? stretch.number % 2 == testing_half
                              : stretch.number == seen.stretches.back().number;
      if (!counts) continue;
      const node_shares nobody(seen.machine.node_count(), now, then);
      both_kinds& users = users_.emplace(stretch.number, both_kinds{nobody, nobody}).first->second;
      for (const thread_share& thread : stretch.threads) {
        users.all.add(thread.thread, thread.uses);
        users.shared.add(thread.thread, thread.of_shared);
      }
    }
  }

  double by_time(node_id from, node_id to) const { return running_.gain(from, to); }
  /// Of the uses of a unit in the stretches that count.
  double alike(const memory_unit& unit, bool alone, node_id from, node_id to) const {
    double sum = 0;
    double gained = 0;
    for (const stretch_uses& uses : unit.when) {
      const auto known = users_.find(uses.stretch);
      if (known == users_.end()) continue;
      const node_shares& users = alone ? known->second.all : known->second.shared;
      if (!users.any()) continue;
      sum += uses.uses;
      gained += uses.uses * users.gain(from, to);
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
  std::map<std::uint64_t, both_kinds> users_;
};

}  // namespace

trial& trial::operator+=(const trial& more) {
  uses += more.uses;
  local_now += more.local_now;
  local_then += more.local_then;
  changed += more.changed;
  alike += more.alike;
  by_time += more.by_time;
  return *this;
}

trial trial_by_kind::all() const {
  trial sum = own;
  return sum += shared;
}

thread_nodes present_nodes(const seen_program& seen) {
  thread_nodes nodes;
  for (const thread_state& thread : seen.threads) {
    nodes.push_back(thread.pu ? std::optional(seen.machine.node_of(*thread.pu)) : std::nullopt);
  }
  return nodes;
}

bool is_cached(const memory_unit& unit, const seen_program& seen, std::uint64_t cached_bytes) {
  return unit.users.size() == 1 && seen.bytes_used[unit.users.front().thread] <= cached_bytes;
}

trial_by_kind try_placement(const seen_program& seen, std::uint64_t cached_bytes,
                            const thread_nodes& now, const tried_placement& then, tried_uses what) {
  trial_by_kind found;
  const null_model expected(seen, now, then.threads, what);
  for (std::size_t u = 0; u < seen.units.size(); ++u) {
    const memory_unit& unit = seen.units[u];
    if (!seen.unit_nodes[u] || is_cached(unit, seen, cached_bytes)) continue;
    const node_id present = *seen.unit_nodes[u];
    const node_id to = then.units[u].value_or(present);
    const bool latest = what == tried_uses::latest_stretch;
    trial part;
    for (const thread_uses& uses : latest ? unit.latest : unit.users) {
      if (uses.thread >= now.size() || !now[uses.thread]) continue;
      const double amount = latest ? uses.all() : uses.half[testing_half];
      const bool was_local = *now[uses.thread] == present;
      const bool is_local = *then.threads[uses.thread] == to;
      part.uses += amount;
      part.local_now += was_local ? amount : 0;
      part.local_then += is_local ? amount : 0;
      part.changed += was_local != is_local ? amount : 0;
    }
    if (part.uses <= 0) continue;
    part.alike = part.uses * expected.alike(unit, is_one_threads(unit.users), present, to);
    part.by_time = part.uses * expected.by_time(present, to);
    (then.own[u] != 0 ? found.own : found.shared) += part;
  }
  return found;
}

}  // namespace numatch::control
