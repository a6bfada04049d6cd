// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "control/managed_program.hpp"
#include "live/sensor.hpp"

namespace numatch::control {

/// A program on an invented machine of 4 nodes with 2 processors each. Its task numbers are those
/// of its threads plus 100.
class invented_program : public managed_program {
 public:
  explicit invented_program(std::uint32_t threads) {
    for (std::uint32_t t = 0; t < threads; ++t) {
      place.emplace_back(t % static_cast<std::uint32_t>(machine_.pu_count()));
      seconds.push_back(0);
    }
    for (std::uint32_t p = 0; p < machine_.pu_count(); ++p) all_.emplace_back(p);
  }

  const topology& machine() const override { return machine_; }
  std::vector<managed_thread> threads() override {
    std::vector<managed_thread> all;
    ++looks_at_all;
    for (std::uint32_t t = 0; t < place.size(); ++t) {
      seconds[t] += idle.contains(t) ? 0 : 1;
      all.push_back(*thread(task(t)));
    }
    return all;
  }
  std::optional<managed_thread> thread(pid_t of) override {
    const std::uint32_t t = number(of);
    if (t >= place.size()) return std::nullopt;
    const bool own = own_processors.contains(t);
    return managed_thread{of, place[t], own ? own_processors.at(t) : all_, seconds[t]};
  }
  void welcome(pid_t) override {}
  result<std::vector<std::optional<node_id>>> nodes_of(
      std::span<const page_number> pages) override {
    std::vector<std::optional<node_id>> nodes;
    for (const page_number page : pages) {
      const auto found = node_of.find(page);
      nodes.push_back(found == node_of.end() ? std::nullopt : std::optional(found->second));
    }
    return nodes;
  }
  std::vector<node_id> page_targets() override {
    return {node_id(0), node_id(1), node_id(2), node_id(3)};
  }
  result<void> look_at_memory() override { return {}; }
  bool is_huge(page_number) const override { return false; }
  bool may_move(page_number page) const override { return !with_policy.contains(page); }
  std::uint64_t huge_bytes() const override { return 2 << 20; }

  live::binding bind(pid_t of, node_id node) override {
    const std::uint32_t thread = number(of);
    if (refuses.contains(thread)) return live::binding::refused;
    // The node's processors in turn, as a scheduler would.
    std::uint32_t first = node.value * 2;
    for (std::uint32_t t = 0; t < place.size(); ++t) {
      if (t != thread && place[t] == pu_id(first)) {
        ++first;
        break;
      }
    }
    place[thread] = pu_id(first);
    bound.insert(thread);
    ++binds;
    return live::binding::done;
  }
  void release(pid_t of) override { bound.erase(number(of)); }
  void move_pages(std::span<const planned_page> pages) override {
    for (const planned_page& page : pages) {
      if (stuck) continue;
      node_of[page.page] = page.to;
      moved.push_back(page);
    }
    asked += pages.size();
  }
  bool pages_wait() const override { return false; }
  std::vector<planned_page> take_moved_pages() override { return std::exchange(moved, {}); }

  static pid_t task(std::uint32_t thread) { return static_cast<pid_t>(thread) + 100; }
  static std::uint32_t number(pid_t of) { return static_cast<std::uint32_t>(of - 100); }
  node_id node_of_thread(std::uint32_t thread) const { return machine_.node_of(place[thread]); }

  std::vector<pu_id> place;  ///< of each thread
  std::vector<double> seconds;
  std::set<std::uint32_t> idle;
  std::set<std::uint32_t> refuses;
  std::map<std::uint32_t, std::vector<pu_id>> own_processors;
  std::map<page_number, node_id> node_of;
  std::set<page_number> with_policy;
  bool stuck = false;  ///< pages do not move
  std::set<std::uint32_t> bound;
  std::vector<planned_page> moved;
  std::size_t binds = 0;
  std::size_t asked = 0;
  std::size_t looks_at_all = 0;

 private:
  topology machine_ = topology::load("numa:4 core:2 pu:1").value();
  std::vector<pu_id> all_;
};

/// Uses of the threads of a program: each has private pages, and pages that it shares.
struct invented_uses {
  enum class pattern { ring, pairs, all, alone };
  pattern who = pattern::ring;
  std::uint32_t threads = 8;
  std::uint64_t private_pages = 24;
  std::uint64_t shared_pages = 8;
  std::mt19937_64 draws{7};

  page_number private_page(std::uint32_t thread, std::uint64_t page) const {
    return page_number(1000 + thread * 1000 + page);
  }
  page_number shared_page(std::uint32_t region, std::uint64_t page) const {
    return page_number(100'000 + region * 1000 + page);
  }
  std::vector<page_number> pages() const {
    std::vector<page_number> all;
    for (std::uint32_t t = 0; t < threads; ++t) {
      for (std::uint64_t p = 0; p < private_pages; ++p) all.push_back(private_page(t, p));
      for (std::uint64_t p = 0; p < shared_pages; ++p) all.push_back(shared_page(t, p));
    }
    return all;
  }
  page_number next_page(std::uint32_t thread) {
    const std::uint64_t pick = draws() % (private_pages + 2 * shared_pages);
    if (pick < private_pages) return private_page(thread, pick);
    const std::uint64_t page = (pick - private_pages) % shared_pages;
    const bool next = pick - private_pages < shared_pages;
    switch (who) {
      case pattern::ring:
        return shared_page(next ? thread : (thread + threads - 1) % threads, page);
      case pattern::pairs:
        return shared_page(thread / 2, page);
      case pattern::all:
        return shared_page(static_cast<std::uint32_t>(draws() % threads), page);
      case pattern::alone:
        break;
    }
    return shared_page(thread, page);
  }
  live::sensed_use next() {
    const std::uint32_t thread = static_cast<std::uint32_t>(draws() % threads);
    live::sensed_use use;
    use.task = invented_program::task(thread);
    use.address = next_page(thread).value * live::sensed_page_bytes;
    return use;
  }
};

}  // namespace numatch::control
