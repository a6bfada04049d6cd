// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/mechanism.hpp"

namespace numatch::test {

/// A world that a test sets up by hand and that remembers what was asked of it.
class fake_world : public world {
 public:
  instant time;
  const topology* known_machine = nullptr;
  std::map<std::uint32_t, std::uint32_t> pu_of_thread;
  std::map<std::uint64_t, std::uint32_t> node_of_page;

  std::vector<std::vector<pu_id>> thread_moves;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> page_moves;
  std::vector<instant> wake_ups;
  std::vector<table_touch> touches;
  std::vector<std::pair<software_work, std::uint64_t>> work;

  struct asked_faults {
    fault_plan::kind what;
    double share;
    std::vector<page_number> pages;
  };
  std::vector<asked_faults> faults;
  std::vector<std::uint64_t> replicated;
  std::optional<page_placing> pages_start;
  std::optional<thread_placing> threads_start;
  std::map<std::uint32_t, thread_progress> progress;

  std::uint64_t page_size = 4096;

  instant now() const override { return time; }
  std::uint64_t page_bytes() const override { return page_size; }
  std::optional<thread_progress> progress_of(thread_id thread) const override {
    const auto known = progress.find(thread.value);
    if (known == progress.end()) return std::nullopt;
    return known->second;
  }
  std::uint64_t seed() const override { return 1; }
  const topology* machine() const override { return known_machine; }
  std::optional<pu_id> pu_of(thread_id thread) const override {
    const auto place = pu_of_thread.find(thread.value);
    if (place == pu_of_thread.end()) return std::nullopt;
    return pu_id(place->second);
  }
  std::optional<node_id> node_of(page_number page) const override {
    const auto place = node_of_page.find(page.value);
    if (place == node_of_page.end()) return std::nullopt;
    return node_id(place->second);
  }
  ticket move_threads(std::span<const pu_id> pus) override {
    thread_moves.emplace_back(pus.begin(), pus.end());
    for (std::uint32_t t = 0; t < pus.size(); ++t) pu_of_thread[t] = pus[t].value;
    return next_ticket();
  }
  ticket move_page(page_number page, node_id node) override {
    page_moves.emplace_back(page.value, node.value);
    node_of_page[page.value] = node.value;
    return next_ticket();
  }
  ticket replicate_page(page_number page) override {
    replicated.push_back(page.value);
    return next_ticket();
  }
  void place_new_pages(page_placing how) override { pages_start = how; }
  void place_new_threads(thread_placing how) override { threads_start = how; }
  ticket induce_faults(const fault_plan& plan) override {
    faults.push_back({plan.what, plan.share, {plan.pages.begin(), plan.pages.end()}});
    return next_ticket();
  }
  void wake_up_at(instant when) override { wake_ups.push_back(when); }
  void touch(const table_touch& access) override { touches.push_back(access); }
  void spend(software_work kind, std::uint64_t amount) override { work.emplace_back(kind, amount); }

  /// Of the last request.
  std::uint64_t last_ticket() const { return tickets_; }

 private:
  ticket next_ticket() { return ticket{++tickets_}; }
  std::uint64_t tickets_ = 0;
};

/// A mechanism by name with some parameters; throws where the product would say an error.
inline std::unique_ptr<mechanism> make_mechanism(
    std::string_view name, const std::map<std::string, std::string>& given = {}) {
  const result<const mechanism_entry*> entry = find_mechanism(name);
  if (!entry) throw std::runtime_error(entry.error().message());
  const result<parameter_set> values = parameter_set::make((*entry)->parameters, given);
  if (!values) throw std::runtime_error(values.error().message());
  result<std::unique_ptr<mechanism>> made = (*entry)->make(*values);
  if (!made) throw std::runtime_error(made.error().message());
  return std::move(*made);
}

/// The error that a mechanism's parameters lead to, or "made".
inline std::string refusal_of(std::string_view name,
                              const std::map<std::string, std::string>& given) {
  try {
    make_mechanism(name, given);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "made";
}

}  // namespace numatch::test
