// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/program_order.hpp"

#include <algorithm>

namespace numatch::sim::ref {

result<program_order> program_order::start(const program& run) {
  program_order order;
  const result<std::vector<program::release>> releases = run.releases();
  if (!releases) return tl::unexpected(releases.error());
  for (const program::release& one : *releases) order.releases_[one.object].insert(one.stamp);
  for (unsigned t = 0; t < run.threads(); ++t) {
    result<std::unique_ptr<program_thread>> code = run.start(thread_id(t));
    if (!code) return tl::unexpected(code.error());
    thread made;
    made.code = std::move(*code);
    order.threads_.push_back(std::move(made));
  }
  if (result<void> settled = order.settle(); !settled) return tl::unexpected(settled.error());
  return order;
}

std::uint64_t program_order::issue_cycle(const thread& t) const {
  const std::uint64_t n = t.now.accesses.size();
  const std::uint64_t all = t.now.instructions;
  return t.begin + all / n * t.index + all % n * t.index / n;
}

std::optional<std::uint64_t> program_order::next_cycle() const {
  std::optional<std::uint64_t> first;
  for (const thread& t : threads_) {
    if (issues(t)) first = std::min(first.value_or(issue_cycle(t)), issue_cycle(t));
  }
  return first;
}

std::vector<unsigned> program_order::issuing_at(std::uint64_t cycle) const {
  std::vector<unsigned> issuing;
  for (unsigned t = 0; t < threads_.size(); ++t) {
    if (issues(threads_[t]) && issue_cycle(threads_[t]) == cycle) issuing.push_back(t);
  }
  return issuing;
}

const trace::access& program_order::access_of(unsigned number) const {
  const thread& t = threads_[number];
  return t.now.accesses[t.index];
}

result<void> program_order::stalled(const std::map<unsigned, std::uint64_t>& stalls) {
  for (const auto& [number, stall] : stalls) {
    thread& t = threads_[number];
    t.begin += stall;
    ++t.index;
    ++accesses_;
    if (!issues(t)) {
      instructions_ += t.now.instructions;
      t.clock = t.begin + t.now.instructions;
      t.now = {};
      t.index = 0;
    }
  }
  return settle();
}

result<void> program_order::settle() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (thread& t : threads_) {
      while (!t.ended && !issues(t)) {
        const result<bool> went_on = step(t);
        if (!went_on) return tl::unexpected(went_on.error());
        if (!*went_on) break;
        moved = true;
      }
    }
  }
  const bool waiting = std::any_of(threads_.begin(), threads_.end(),
                                   [](const thread& t) { return t.waits_for != nullptr; });
  if (waiting && !next_cycle()) return fail("the program", "its threads wait for each other");
  return {};
}

/// False: the thread waits.
result<bool> program_order::step(thread& t) {
  if (t.waits_for == nullptr) {
    const result<piece> next = t.code->next();
    if (!next) return tl::unexpected(next.error());
    if (next->ended()) {
      t.ended = true;
      return true;
    }
    if (next->happened == nullptr) {
      t.now = *next;
      t.begin = t.clock;
      return true;
    }
    const trace::event& happened = *next->happened;
    if (happened.kind == trace::event_kind::release) {
      releases_[happened.args[0]].erase(happened.stamp);
      done_[happened.args[0]].push_back({happened.stamp, t.clock});
    }
    if (happened.kind != trace::event_kind::acquire) return true;
    t.waits_for = next->happened;
  }
  if (!acquire(t, *t.waits_for)) return false;
  t.waits_for = nullptr;
  return true;
}

bool program_order::acquire(thread& t, const trace::event& wanted) {
  const std::set<std::uint64_t>& to_come = releases_[wanted.args[0]];
  if (!to_come.empty() && *to_come.begin() < wanted.stamp) return false;
  for (const done_release& one : done_[wanted.args[0]]) {
    if (one.stamp < wanted.stamp) t.clock = std::max(t.clock, one.cycle + 1);
  }
  return true;
}

std::vector<std::uint64_t> program_order::clocks() const {
  std::vector<std::uint64_t> clocks;
  for (const thread& t : threads_) clocks.push_back(t.clock);
  return clocks;
}

}  // namespace numatch::sim::ref
