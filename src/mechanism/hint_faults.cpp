// SPDX-License-Identifier: Apache-2.0
#include "mechanism/hint_faults.hpp"

#include <algorithm>
#include <numeric>

namespace numatch::numa_balancing {

namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Periods are judged in tenths; from seven on most faults are of one kind.
constexpr std::uint64_t slots = 10;
constexpr std::uint64_t most = 7;
/// A node is active with more than 1 / 3 of the most faults; one with 3 times the faults of
/// another may take its pages.
constexpr std::int64_t active_fraction = 3;
/// The scale of fault_sums::of_cpu.
constexpr std::int64_t whole = 65536;

}  // namespace

std::int64_t fault_sums::total() const {
  return total_private() + total_shared();
}
std::int64_t fault_sums::total_private() const {
  return sum_of(of_private);
}
std::int64_t fault_sums::total_shared() const {
  return sum_of(of_shared);
}

std::int64_t fault_sums::weight(node_id node) const {
  const std::int64_t all = total();
  return all == 0 ? 0 : 1000 * memory(node) / all;
}

std::optional<node_id> fault_sums::busiest() const {
  std::optional<node_id> best;
  for (std::uint32_t n = 0; n < of_private.size(); ++n) {
    const std::int64_t faults = memory(node_id(n));
    if (faults > 0 && (!best || faults > memory(*best))) best = node_id(n);
  }
  return best;
}

void fault_sums::add(const fault_sums& other) {
  for (std::size_t n = 0; n < of_private.size(); ++n) {
    of_private[n] += other.of_private[n];
    of_shared[n] += other.of_shared[n];
    of_cpu[n] += other.of_cpu[n];
  }
}

void fault_sums::fold(const fault_sums& fresh, fault_sums* group) {
  const std::int64_t all = fresh.total();
  fault_sums change(of_private.size());
  for (std::size_t n = 0; n < of_private.size(); ++n) {
    change.of_private[n] = fresh.of_private[n] - of_private[n] / 2;
    change.of_shared[n] = fresh.of_shared[n] - of_shared[n] / 2;
    change.of_cpu[n] = whole * fresh.of_cpu[n] / (all + 1) - of_cpu[n] / 2;
  }
  add(change);
  if (group != nullptr) group->add(change);
}

std::vector<bool> active_nodes(const fault_sums& group) {
  const std::int64_t most_faults = *std::max_element(group.of_cpu.begin(), group.of_cpu.end());
  std::vector<bool> active;
  for (const std::int64_t faults : group.of_cpu) {
    active.push_back(faults * active_fraction > most_faults);
  }
  return active;
}

namespace {

/// How many scans it takes to see all memory.
std::uint64_t scans_of_all(const scan_load& load, const scan_rule& rule) {
  return std::max<std::uint64_t>(1, (load.mapped_bytes + rule.bytes - 1) / rule.bytes);
}

std::uint64_t stretched(std::uint64_t period, const scan_load& load) {
  if (load.group_threads <= 1) return period;
  const double shared = static_cast<double>(load.shared_faults);
  const double all = static_cast<double>(load.private_faults) + shared + 1;
  return static_cast<std::uint64_t>(static_cast<double>(period) *
                                    static_cast<double>(load.group_threads) * (shared + 1) / all);
}

}  // namespace

std::uint64_t shortest_period(const scan_load& load, const scan_rule& rule) {
  const std::uint64_t windows = std::max<std::uint64_t>(1, rule.bytes_per_second / rule.bytes);
  return std::max(1'000'000'000 / windows, rule.shortest / scans_of_all(load, rule));
}

std::uint64_t first_period(const scan_load& load, const scan_rule& rule) {
  const std::uint64_t shortest = shortest_period(load, rule);
  return std::max(shortest, stretched(shortest, load));
}

std::uint64_t longest_period(const scan_load& load, const scan_rule& rule) {
  const std::uint64_t longest = rule.longest / scans_of_all(load, rule);
  return std::max({shortest_period(load, rule), longest, stretched(longest, load)});
}

std::uint64_t next_period(std::uint64_t period, const fault_kinds& seen, std::uint64_t shortest,
                          std::uint64_t longest) {
  if (seen.local + seen.of_shared == 0 || seen.failed_moves > 0) {
    return std::min(longest, 2 * period);
  }
  const std::uint64_t slot = (period + slots - 1) / slots;
  const std::uint64_t local =
      seen.local * slots / std::max<std::uint64_t>(1, seen.local + seen.remote);
  const std::uint64_t own =
      seen.of_private * slots / std::max<std::uint64_t>(1, seen.of_private + seen.of_shared);
  if (own >= most || local >= most) {
    const std::uint64_t above = (own >= most ? own : local) - most;
    period += std::max<std::uint64_t>(1, above) * slot;
  } else {
    period -= std::min(period, (most - std::max(local, own)) * slot);
  }
  return std::clamp(period, shortest, std::max(shortest, longest));
}

bool page_moves(const hint_fault& fault, const fault_sums* group, bool two_stage) {
  if (fault.early && fault.is_private()) return true;
  if (two_stage && fault.last_thread && fault.last_node != fault.to) return false;
  if (fault.last_thread == fault.thread || group == nullptr) return true;
  const std::size_t from = fault.from.index(), to = fault.to.index();
  if (group->of_cpu[to] > group->of_cpu[from] * active_fraction) return true;
  // Memory follows the faults: with a quarter of hysteresis, the better place has more faults from
  // its processors for the faults on its memory.
  return group->of_cpu[to] * group->memory(fault.from) * 3 >
         group->of_cpu[from] * group->memory(fault.to) * 4;
}

}  // namespace numatch::numa_balancing
