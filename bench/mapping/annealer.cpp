// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/annealer.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/level_costs.hpp"

namespace numatch::bench {

pu_gap::pu_gap(const topology& machine, const distance_table& distances)
    : pus_(machine.pu_count()) {
  const std::size_t depth = machine.depth();
  std::vector<int> bits(depth, 1);
  int all = 0;
  for (std::size_t level = 0; level < depth; ++level) {
    for (std::uint32_t pu = 0; pu < pus_; ++pu) {
      bits[level] =
          std::max(bits[level], static_cast<int>(std::bit_width(machine.path(pu_id(pu))[level])));
    }
    all += bits[level];
  }
  const level_costs costs = costs_by_level(machine, distances);
  double self = 0;
  for (std::uint32_t pu = 0; pu < pus_; ++pu) {
    self = std::max(self, distances.at(pu_id(pu), pu_id(pu)));
  }
  tree_ = costs.exact && self == 0 && all <= 32;
  if (tree_) {
    std::size_t width = static_cast<std::size_t>(all);
    for (std::size_t level = 0; level < depth; ++level) {
      for (int bit = 0; bit < bits[level]; ++bit) by_width_[width--] = costs.cost[level];
    }
    for (std::uint32_t pu = 0; pu < pus_; ++pu) {
      std::uint32_t code = 0;
      for (std::size_t level = 0; level < depth; ++level) {
        code = (code << static_cast<unsigned>(bits[level])) | machine.path(pu_id(pu))[level];
      }
      code_.push_back(code);
    }
    return;
  }
  for (std::uint32_t a = 0; a < pus_; ++a) {
    for (std::uint32_t b = 0; b < pus_; ++b) cells_.push_back(distances.at(pu_id(a), pu_id(b)));
  }
}

annealer::annealer(const mapping_request& request, std::uint64_t seed)
    : request_(request),
      graph_(request.sharing, ~std::size_t{0}),
      gap_(request.machine, request.distances),
      draw_(seed),
      threads_(request.sharing.size()),
      pus_(request.machine.pu_count()),
      room_(static_cast<std::uint32_t>((threads_ + pus_ - 1) / pus_)),
      thread_at_(pus_ * room_, nobody),
      slot_of_(threads_),
      pu_of_(threads_) {
  const std::vector<unsigned>& arities = request.machine.arities();
  std::uint32_t below = 1;
  for (std::size_t level = arities.size(); level-- > 0;) {
    blocks_.push_back(below * room_);
    for (unsigned half = 2; half < arities[level] && arities[level] % half == 0; half *= 2) {
      blocks_.push_back(below * half * room_);
    }
    below *= arities[level];
  }
  if (blocks_.empty()) {
    for (below = 1; below < pus_; below *= 2) blocks_.push_back(below * room_);
  }
  has_sums_ = gap_.is_tree() && !arities.empty() && threads_ == pus_ * room_ && threads_ >= 128 &&
              graph_.arcs() > 48 * threads_;
  if (!has_sums_) return;
  const level_costs costs = costs_by_level(request.machine, request.distances);
  std::uint32_t groups = 0;
  below = static_cast<std::uint32_t>(pus_);
  for (std::size_t level = 0; level < arities.size(); ++level) {
    below /= arities[level];
    saved_.push_back(costs.cost[level] - (level + 1 < arities.size() ? costs.cost[level + 1] : 0));
    first_group_.push_back(groups);
    pus_below_.push_back(below);
    groups += static_cast<std::uint32_t>(pus_) / below;
  }
  sums_.resize(groups * threads_);
}

void annealer::place(const thread_mapping& mapping) {
  std::vector<std::uint32_t> used(pus_);
  std::fill(thread_at_.begin(), thread_at_.end(), nobody);
  for (std::uint32_t t = 0; t < threads_; ++t) {
    const std::uint32_t pu = static_cast<std::uint32_t>(mapping.pu_of[t].index());
    pu_of_[t] = pu;
    slot_of_[t] = pu * room_ + used[pu]++;
    thread_at_[slot_of_[t]] = t;
  }
  cost_ = 0;
  fill_sums();
}

void annealer::place_at_random() {
  std::vector<std::uint32_t> slots(thread_at_.size());
  for (std::uint32_t s = 0; s < slots.size(); ++s) slots[s] = s;
  for (std::size_t i = slots.size(); i > 1; --i) std::swap(slots[i - 1], slots[draw_.below(i)]);
  thread_mapping mapping;
  for (std::size_t t = 0; t < threads_; ++t) mapping.pu_of.push_back(pu_id(pu_of_slot(slots[t])));
  place(mapping);
}

void annealer::fill_sums() {
  if (!has_sums_) return;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (std::uint32_t t = 0; t < threads_; ++t) {
    for (std::size_t level = 0; level < saved_.size(); ++level) {
      double* row = &sums_[(first_group_[level] + pu_of_[t] / pus_below_[level]) * threads_];
      for (const sharing_graph::edge& e : graph_.edges_of(t)) row[e.to] += e.weight * saved_[level];
    }
  }
}

void annealer::move_sums(std::uint32_t thread, std::uint32_t from, std::uint32_t to) {
  for (std::size_t level = 0; level < saved_.size(); ++level) {
    const std::uint32_t old_group = from / pus_below_[level];
    const std::uint32_t new_group = to / pus_below_[level];
    if (old_group == new_group) continue;
    double* leaves = &sums_[(first_group_[level] + old_group) * threads_];
    double* enters = &sums_[(first_group_[level] + new_group) * threads_];
    for (const sharing_graph::edge& e : graph_.edges_of(thread)) {
      const double amount = e.weight * saved_[level];
      leaves[e.to] -= amount;
      enters[e.to] += amount;
    }
  }
}

/// What the cost changes when a thread moves and `other` (or nobody) stays out of the sum.
double annealer::change_of_move(std::uint32_t thread, std::uint32_t from, std::uint32_t to,
                                std::uint32_t other) const {
  double delta = 0;
  if (has_sums_) {
    for (std::size_t level = 0; level < saved_.size(); ++level) {
      const std::uint32_t old_group = from / pus_below_[level];
      const std::uint32_t new_group = to / pus_below_[level];
      if (old_group == new_group) continue;
      delta += sums_[(first_group_[level] + old_group) * threads_ + thread] -
               sums_[(first_group_[level] + new_group) * threads_ + thread];
    }
    return delta + request_.sharing.between(thread, other) * gap_(from, to);
  }
  for (const sharing_graph::edge& e : graph_.edges_of(thread)) {
    if (e.to != other) delta += e.weight * (gap_(to, pu_of_[e.to]) - gap_(from, pu_of_[e.to]));
  }
  return delta;
}

double annealer::change(std::uint32_t slot, std::uint32_t other) const {
  const std::uint32_t a = thread_at_[slot];
  const std::uint32_t b = thread_at_[other];
  double delta = 0;
  if (a != nobody) delta += change_of_move(a, pu_of_slot(slot), pu_of_slot(other), b);
  if (b != nobody) delta += change_of_move(b, pu_of_slot(other), pu_of_slot(slot), a);
  return delta;
}

void annealer::exchange(std::uint32_t slot, std::uint32_t other) {
  const std::uint32_t a = thread_at_[slot];
  const std::uint32_t b = thread_at_[other];
  if (has_sums_ && pu_of_slot(slot) != pu_of_slot(other)) {
    move_sums(a, pu_of_slot(slot), pu_of_slot(other));
    move_sums(b, pu_of_slot(other), pu_of_slot(slot));
  }
  std::swap(thread_at_[slot], thread_at_[other]);
  if (a != nobody) {
    slot_of_[a] = other;
    pu_of_[a] = pu_of_slot(other);
  }
  if (b != nobody) {
    slot_of_[b] = slot;
    pu_of_[b] = pu_of_slot(slot);
  }
}

bool annealer::accept(double delta, double temperature) {
  if (delta <= 0) return true;
  return delta < 16 * temperature && draw_.unit() < std::exp(-delta / temperature);
}

/// Half of all partners lie near somebody with whom the thread shares.
std::uint32_t annealer::partner(std::uint32_t slot) {
  const std::uint32_t slots = static_cast<std::uint32_t>(thread_at_.size());
  const std::uint32_t thread = thread_at_[slot];
  if (has_sums_ || thread == nobody || graph_.edges_of(thread).empty() || draw_.below(2) == 0) {
    return draw_.below(slots);
  }
  const std::span<const sharing_graph::edge> edges = graph_.edges_of(thread);
  const std::uint32_t near = slot_of_[edges[draw_.below(edges.size())].to];
  const std::uint32_t block = blocks_[draw_.below(blocks_.size())];
  return std::min(slots - 1, near / block * block + draw_.below(block));
}

void annealer::try_exchange(double temperature) {
  const std::uint32_t slot = draw_.below(thread_at_.size());
  const std::uint32_t other = partner(slot);
  if (pu_of_slot(slot) == pu_of_slot(other)) return;
  const double delta = change(slot, other);
  if (!accept(delta, temperature)) return;
  exchange(slot, other);
  cost_ += delta;
}

/// Exchanges two equal parts of the machine with all their threads.
void annealer::try_blocks(double temperature) {
  const std::uint32_t size = blocks_[draw_.below(blocks_.size())];
  const std::uint32_t count = static_cast<std::uint32_t>(thread_at_.size()) / size;
  if (size > 64 || count < 2) return;
  const std::uint32_t first = draw_.below(count) * size;
  const std::uint32_t second = draw_.below(count) * size;
  if (first == second) return;
  double delta = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    delta += change(first + i, second + i);
    exchange(first + i, second + i);
  }
  if (accept(delta, temperature)) {
    cost_ += delta;
    return;
  }
  for (std::uint32_t i = 0; i < size; ++i) exchange(first + i, second + i);
}

/// Moves two threads that share to places near each other: one alone would lose too much.
void annealer::try_pair(double temperature) {
  const std::uint32_t thread = draw_.below(threads_);
  const std::span<const sharing_graph::edge> edges = graph_.edges_of(thread);
  if (edges.empty()) return;
  const sharing_graph::edge& one = edges[draw_.below(edges.size())];
  const sharing_graph::edge& two = edges[draw_.below(edges.size())];
  const std::uint32_t mate = (one.weight > two.weight ? one : two).to;
  const std::uint32_t from = slot_of_[thread];
  const std::uint32_t to = draw_.below(thread_at_.size());
  double delta = change(from, to);
  exchange(from, to);
  const std::uint32_t second_from = slot_of_[mate];
  const std::uint32_t block = blocks_[draw_.below(blocks_.size())];
  const std::uint32_t second_to = std::min(static_cast<std::uint32_t>(thread_at_.size()) - 1,
                                           to / block * block + draw_.below(block));
  if (second_to != to) {
    delta += change(second_from, second_to);
    exchange(second_from, second_to);
  }
  if (accept(delta, temperature)) {
    cost_ += delta;
    return;
  }
  if (second_to != to) exchange(second_from, second_to);
  exchange(from, to);
}

double annealer::usual_change() {
  constexpr int samples = 1000;
  double sum = 0;
  for (int i = 0; i < samples; ++i) {
    sum += std::abs(change(draw_.below(thread_at_.size()), draw_.below(thread_at_.size())));
  }
  return sum / samples;
}

void annealer::anneal(double hot, double cold, std::uint64_t proposals) {
  constexpr std::uint64_t steps = 400;
  thread_mapping best = mapping();
  double best_cost = cost_;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const double temperature =
        hot * std::pow(cold / hot, static_cast<double>(step) / static_cast<double>(steps - 1));
    for (std::uint64_t i = 0; i < proposals / steps; ++i) {
      if (!has_sums_ && i % 16 == 0) {
        try_blocks(temperature);
      } else if (!has_sums_ && i % 4 == 1) {
        try_pair(temperature);
      } else {
        try_exchange(temperature);
      }
    }
    if (cost_ < best_cost) {
      best_cost = cost_;
      best = mapping();
    }
  }
  place(best);
}

void annealer::descend() {
  for (bool better = true; better;) {
    better = false;
    for (std::uint32_t slot = 0; slot < thread_at_.size(); ++slot) {
      for (std::uint32_t other = slot + 1; other < thread_at_.size(); ++other) {
        if (pu_of_slot(slot) == pu_of_slot(other)) continue;
        const double delta = change(slot, other);
        // Sums of fractions differ in their last digits: an endless exchange must not look useful.
        if (delta >= -1e-9 * std::abs(cost_) - 1e-12) continue;
        exchange(slot, other);
        cost_ += delta;
        better = true;
      }
    }
  }
}

thread_mapping annealer::mapping() const {
  thread_mapping all;
  for (const std::uint32_t pu : pu_of_) all.pu_of.push_back(pu_id(pu));
  return all;
}

double annealer::cost() const {
  return mapping_cost(request_.sharing, mapping(), request_.distances);
}

}  // namespace numatch::bench
