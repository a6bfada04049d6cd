// SPDX-License-Identifier: Apache-2.0
#include "mechanism/hint_fault_places.hpp"

#include <algorithm>

#include "mechanism/pu_loads.hpp"

namespace numatch::numa_balancing {

namespace {

/// In thousandths of a thread's faults: what a swap has to gain, and by how much it has to beat
/// the best one so far.
constexpr std::int64_t least_gain = 30;
constexpr std::int64_t least_lead = 15;
/// A node with few threads may have so many more than the one that the mover leaves.
constexpr std::size_t allowed_imbalance = 2;

class place_search {
 public:
  place_search(thread_id mover, std::span<const placed_thread> threads, const fault_sums& group,
               const topology& machine)
      : mover_(mover),
        me_(threads[mover.index()]),
        threads_(threads),
        group_(group),
        machine_(machine),
        present_(machine.node_of(*me_.pu)),
        loads_(machine) {
    for (const placed_thread& t : threads) {
      if (t.pu) loads_.add(*t.pu);
    }
  }

  std::optional<thread_step> run() {
    look_at(*me_.preferred);
    if (best_ && !(me_.in_group && spans_nodes())) return best_;
    for (std::uint32_t n = 0; n < machine_.node_count(); ++n) {
      const node_id node(n);
      if (node == present_ || node == *me_.preferred) continue;
      if (own_gain(node) > 0 || group_gain(node) > 0) look_at(node);
    }
    return best_;
  }

 private:
  bool spans_nodes() const {
    const std::vector<bool> active = active_nodes(group_);
    return std::count(active.begin(), active.end(), true) > 1;
  }

  std::int64_t own_gain(node_id node) const {
    return me_.faults->weight(node) - me_.faults->weight(present_);
  }
  /// A thread without a group has nothing to gain for it.
  std::int64_t group_gain(node_id node) const {
    return me_.in_group ? group_.weight(node) - group_.weight(present_) : 0;
  }

  void look_at(node_id node) {
    const std::optional<pu_id> idle = loads_.least_loaded(node);
    if (idle && loads_.on(*idle) == 0 && stays_balanced(node)) {
      best_ = thread_step{*idle, std::nullopt};
      best_gain_ = 0;
      return;
    }
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      const placed_thread& other = threads_[t];
      if (thread_id(t) == mover_ || !other.pu || machine_.node_of(*other.pu) != node) continue;
      consider_swap(thread_id(t), other, node);
    }
  }

  bool stays_balanced(node_id node) const {
    const std::size_t there = loads_.on(node) + 1;
    const std::size_t here = loads_.on(present_) - 1;
    if (there <= here) return true;
    const std::size_t few = std::max<std::size_t>(1, loads_.pus_of(node) / 8);
    return there <= few && there - here <= allowed_imbalance;
  }

  void consider_swap(thread_id number, const placed_thread& other, node_id node) {
    const bool alike = other.in_group == me_.in_group;
    if (alike && loads_.on(node) < loads_.pus_of(node)) return;  // there is room without a swap
    // Once the partner would come to its preferred node, only such partners are better.
    const bool comes_home = other.preferred == present_;
    if (partner_comes_home_ && !comes_home) return;
    std::int64_t gain = alike || !me_.in_group ? own_gain(node) : group_gain(node);
    gain += other.faults->weight(present_) - other.faults->weight(node);
    if (alike && me_.in_group) gain -= gain / 16;
    if (other.preferred == node) gain -= gain / 16;
    if (comes_home) gain += gain / 8;
    const bool first_home = comes_home && best_ && best_->swap && !partner_comes_home_;
    if (!first_home && (gain < least_gain || gain <= best_gain_ + least_lead)) return;
    best_ = thread_step{*other.pu, number};
    best_gain_ = gain;
    partner_comes_home_ = comes_home;
  }

  thread_id mover_;
  const placed_thread& me_;
  std::span<const placed_thread> threads_;
  const fault_sums& group_;
  const topology& machine_;
  node_id present_;
  pu_loads loads_;
  std::optional<thread_step> best_;
  std::int64_t best_gain_ = 0;
  bool partner_comes_home_ = false;
};

}  // namespace

std::optional<thread_step> better_place(thread_id mover, std::span<const placed_thread> threads,
                                        const fault_sums& group, const topology& machine) {
  return place_search(mover, threads, group, machine).run();
}

}  // namespace numatch::numa_balancing
