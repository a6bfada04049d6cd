// SPDX-License-Identifier: Apache-2.0
#include "sim/placing.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace numatch::sim {

namespace {

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// <linux/mempolicy.h>
constexpr std::uint64_t preferred_policy = 1;
constexpr std::uint64_t bind_policy = 2;
constexpr std::uint64_t interleave_policy = 3;
constexpr std::uint64_t preferred_many_policy = 5;
constexpr std::uint64_t mode_flags = std::uint64_t{3} << 14;

unsigned nth_bit(std::uint64_t bits, std::uint64_t n) {
  for (; n > 0; --n) bits &= bits - 1;
  return static_cast<unsigned>(std::countr_zero(bits));
}

}  // namespace

thread_starts::thread_starts(const machine_config& config, thread_placing how, std::uint64_t seed)
    : config_(config), how_(how), random_(mix(seed)) {
  place_by(how);
}

std::uint64_t thread_starts::draw() {
  random_ = mix(random_);
  return random_;
}

void thread_starts::place_by(thread_placing how) {
  how_ = how;
  order_.resize(config_.pus());
  std::iota(order_.begin(), order_.end(), 0U);
  if (how == thread_placing::scatter) {
    // The k-th PU of every node before the (k+1)-th of any.
    std::vector<std::uint32_t> given(config_.nodes, 0);
    std::vector<std::uint32_t> turn(config_.pus());
    for (std::uint32_t pu = 0; pu < config_.pus(); ++pu) turn[pu] = given[config_.node_of_pu[pu]]++;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return turn[a] < turn[b]; });
  } else if (how == thread_placing::random) {
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[draw() % i]);
  }
}

std::uint32_t thread_starts::next(std::span<const std::uint32_t> load,
                                  std::span<const std::uint32_t> allowed) {
  if (how_ == thread_placing::linux_like) return idlest(load, allowed);
  for (std::size_t tried = 0; tried < order_.size(); ++tried) {
    const std::uint32_t pu = order_[given_++ % order_.size()];
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), pu) != allowed.end())
      return pu;
  }
  return allowed.front();
}

/// The node with the fewest threads for its PUs, there the core and then the PU with the fewest; a
/// draw among equals.
std::uint32_t thread_starts::idlest(std::span<const std::uint32_t> load,
                                    std::span<const std::uint32_t> allowed) {
  std::vector<std::uint64_t> of_node(config_.nodes, 0);
  std::vector<std::uint64_t> size_of_node(config_.nodes, 0);
  std::vector<std::uint64_t> of_core(config_.cores.count, 0);
  for (std::size_t pu = 0; pu < load.size(); ++pu) {
    of_node[config_.node_of_pu[pu]] += load[pu];
    ++size_of_node[config_.node_of_pu[pu]];
    of_core[config_.cores.group[pu]] += load[pu];
  }
  const std::uint64_t turn = draw();
  std::optional<std::tuple<double, std::uint64_t, std::uint64_t, std::uint64_t>> best_key;
  std::uint32_t best = allowed.empty() ? 0 : allowed.front();
  for (std::uint32_t pu = 0; pu < load.size(); ++pu) {
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), pu) == allowed.end())
      continue;
    const unsigned node = config_.node_of_pu[pu];
    const std::tuple key{
        static_cast<double>(of_node[node]) / static_cast<double>(size_of_node[node]),
        // Equal nodes, cores and PUs: by the draw, so that PUs of one node stay together in it.
        mix(turn ^ node), of_core[config_.cores.group[pu]] * 1024 + load[pu], mix(turn + pu)};
    if (!best_key || key < *best_key) {
      best_key = key;
      best = pu;
    }
  }
  return best;
}

void page_starts::bind(std::uint64_t first_page, std::uint64_t pages, const policy& wanted) {
  forget(first_page, pages);
  if (pages > 0) ranges_[first_page] = {first_page + pages, wanted};
}

void page_starts::forget(std::uint64_t first_page, std::uint64_t pages) {
  const std::uint64_t end = first_page + pages;
  std::map<std::uint64_t, range>::iterator at = ranges_.lower_bound(first_page);
  if (at != ranges_.begin() && std::prev(at)->second.end > first_page) --at;
  while (at != ranges_.end() && at->first < end) {
    const std::uint64_t first = at->first;
    const range cut = at->second;
    at = ranges_.erase(at);
    if (first < first_page) ranges_[first] = {first_page, cut.wanted};
    if (cut.end > end) ranges_[end] = cut;
  }
}

void page_starts::carry(const stretch& from, const stretch& to) {
  const std::uint64_t end = from.first + from.pages;
  const std::optional<policy> grows =
      policy_of(from.pages == 0 ? from.first : from.first + from.pages - 1);
  std::vector<std::pair<std::uint64_t, range>> parts;  // counted from the first page
  for (std::uint64_t page = from.first; page < end;) {
    const std::map<std::uint64_t, range>::const_iterator next = ranges_.upper_bound(page);
    std::uint64_t until = next == ranges_.end() ? end : std::min(end, next->first);
    if (next != ranges_.begin() && std::prev(next)->second.end > page) {
      until = std::min(until, std::prev(next)->second.end);
      parts.push_back({page - from.first, {until - from.first, std::prev(next)->second.wanted}});
    }
    page = until;
  }
  if (grows && to.pages > from.pages) parts.push_back({from.pages, {to.pages, *grows}});
  forget(from.first, from.pages);
  forget(to.first, to.pages);
  for (const auto& [first, part] : parts) {
    const std::uint64_t until = std::min(part.end, to.pages);
    if (first < until) bind(to.first + first, until - first, part.wanted);
  }
}

void page_starts::set_policy(std::uint32_t thread, const policy& wanted) {
  if (thread >= of_thread_.size()) of_thread_.resize(thread + 1);
  of_thread_[thread] = wanted;
}

std::optional<unsigned> page_starts::node_by(const policy& wanted, std::uint64_t page,
                                             unsigned own_node) const {
  const std::uint64_t here =
      nodes_ >= 64 ? wanted.nodes : wanted.nodes & ((std::uint64_t{1} << nodes_) - 1);
  if (here == 0) return std::nullopt;
  switch (wanted.mode & ~mode_flags) {
    case preferred_policy:
    case bind_policy:
    case preferred_many_policy:
      if (own_node < 64 && (here >> own_node & 1) != 0) return own_node;
      return nth_bit(here, 0);
    case interleave_policy:
      return nth_bit(here, page % static_cast<unsigned>(std::popcount(here)));
    default:
      return std::nullopt;
  }
}

std::optional<page_starts::policy> page_starts::policy_of(std::uint64_t page) const {
  const std::map<std::uint64_t, range>::const_iterator next = ranges_.upper_bound(page);
  if (next == ranges_.begin() || std::prev(next)->second.end <= page) return std::nullopt;
  return std::prev(next)->second.wanted;
}

std::optional<unsigned> page_starts::bound_node(std::uint64_t page, unsigned own_node) const {
  const std::optional<policy> wanted = policy_of(page);
  return wanted ? node_by(*wanted, page, own_node) : std::nullopt;
}

unsigned page_starts::node_for(std::uint64_t page, std::uint32_t thread, unsigned own_node) const {
  if (const std::optional<unsigned> bound = bound_node(page, own_node)) return *bound;
  if (thread < of_thread_.size()) {
    if (const std::optional<unsigned> own = node_by(of_thread_[thread], page, own_node))
      return *own;
  }
  switch (how_) {
    case page_placing::first_touch:
      return own_node;
    case page_placing::interleave:
      return static_cast<unsigned>(page % nodes_);
    case page_placing::random:
      return static_cast<unsigned>(mix(page ^ mix(seed_)) % nodes_);
  }
  return own_node;
}

}  // namespace numatch::sim
