// SPDX-License-Identifier: Apache-2.0
#include "control/linux_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "live/huge_ranges.hpp"
#include "live/policy_ranges.hpp"
#include "live/proc_text.hpp"
#include "live/process_view.hpp"
#include "live/running_program.hpp"
#include "live/sensor.hpp"
#include "live/system_tree.hpp"

namespace numatch::control {

namespace {

/// numa_maps walks all pages: it is read at so many looks once.
constexpr unsigned looks_per_policies = 16;

live::byte_range bytes_of(page_number page) {
  const std::uint64_t first = page.value * live::sensed_page_bytes;
  return {first, first + 1};
}

}  // namespace

result<std::unique_ptr<linux_program>> linux_program::open(
    live::observed_process& process, const topology& machine,
    const live::page_mover_options& options) {
  result<live::guardian> guard = live::guardian::start();
  if (!guard) return tl::unexpected(guard.error());
  return std::unique_ptr<linux_program>(
      new linux_program(process, machine, std::move(*guard), options));
}

linux_program::linux_program(live::observed_process& process, const topology& machine,
                             live::guardian guard, const live::page_mover_options& options)
    : process_(process),
      machine_(machine),
      cpus_of_node_(machine.node_count()),
      guard_(std::move(guard)),
      system_(process.pid(), options.shared_too),
      threads_(guard_.journal(), process.pid()),
      pages_(system_, options, live::now_nanoseconds),
      huge_bytes_(live::huge_page_bytes()) {
  for (std::uint32_t p = 0; p < machine.pu_count(); ++p) {
    const unsigned cpu = machine.os_index(pu_id(p));
    pu_of_cpu_[cpu] = pu_id(p);
    cpus_of_node_[machine.node_of(pu_id(p)).index()].push_back(cpu);
  }
  for (std::uint32_t n = 0; n < machine.node_count(); ++n) {
    node_of_number_[machine.os_index(node_id(n))] = node_id(n);
  }
  note_policies(true);
}

std::vector<managed_thread> linux_program::threads() {
  std::vector<managed_thread> all;
  for (const pid_t task : process_.tasks().value_or(std::vector<pid_t>{})) {
    if (std::optional<managed_thread> seen = thread(task)) all.push_back(std::move(*seen));
  }
  return all;
}

std::optional<managed_thread> linux_program::thread(pid_t task) {
  threads_.adopt(task);
  const std::optional<live::task_view> seen = live::view_task(process_.pid(), task, {});
  if (!seen) return std::nullopt;
  managed_thread found{.task = task, .pu = {}, .may_use = {}, .cpu_seconds = seen->cpu_seconds};
  const auto ran_on = pu_of_cpu_.find(seen->cpu);
  if (ran_on != pu_of_cpu_.end()) found.pu = ran_on->second;
  for (const unsigned cpu : threads_.own_cpus(task)) {
    const auto known = pu_of_cpu_.find(cpu);
    if (known != pu_of_cpu_.end()) found.may_use.push_back(known->second);
  }
  std::sort(found.may_use.begin(), found.may_use.end());
  return found;
}

std::optional<node_id> linux_program::node_of_system(int number) const {
  if (number < 0) return std::nullopt;
  const auto known = node_of_number_.find(static_cast<unsigned>(number));
  return known == node_of_number_.end() ? std::nullopt : std::optional(known->second);
}

result<std::vector<std::optional<node_id>>> linux_program::nodes_of(
    std::span<const page_number> pages) {
  const result<std::vector<int>> numbers = live::nodes_of_pages(system_, pages);
  if (!numbers) return tl::unexpected(numbers.error());
  std::vector<std::optional<node_id>> nodes;
  nodes.reserve(numbers->size());
  for (const int number : *numbers) nodes.push_back(node_of_system(number));
  return nodes;
}

std::vector<node_id> linux_program::page_targets() {
  const std::string status =
      live::read_proc(fmt::format("/proc/{}/status", process_.pid())).value_or("");
  const std::vector<unsigned> allowed =
      live::number_list(live::status_field(status, "Mems_allowed_list").value_or(""));
  std::vector<node_id> targets;
  for (std::uint32_t n = 0; n < machine_.node_count(); ++n) {
    const unsigned number = machine_.os_index(node_id(n));
    const bool may = std::find(allowed.begin(), allowed.end(), number) != allowed.end();
    if (may && !cpus_of_node_[n].empty()) targets.emplace_back(n);
  }
  return targets;
}

/// All: of the program; else those that numatch may have set for sensing are left out.
void linux_program::note_policies(bool all) {
  const result<std::vector<live::policy_range>> ranges = live::read_policies(process_);
  if (!ranges) return;
  for (const live::policy_range& range : *ranges) {
    if (range.policy == "default" || (!all && live::is_hint_policy(range.policy))) continue;
    with_policy_.add({range.first, range.end});
  }
}

result<void> linux_program::look_at_memory() {
  huge_ = live::huge_ranges_of(process_);
  if (++looks_ % looks_per_policies == 0) note_policies(false);
  return {};
}

bool linux_program::is_huge(page_number page) const {
  return !huge_.parts_of(bytes_of(page)).empty();
}

bool linux_program::may_move(page_number page) const {
  return with_policy_.parts_of(bytes_of(page)).empty();
}

live::binding linux_program::bind(pid_t task, node_id node) {
  return threads_.bind(task, cpus_of_node_[node.index()]);
}

void linux_program::move_pages(std::span<const planned_page> pages) {
  std::vector<live::page_move> moves;
  sent_to_.clear();
  for (const planned_page& page : pages) {
    const unsigned number = machine_.os_index(page.to);
    moves.push_back({page.page, number, page.bytes});
    sent_to_[page.page] = number;
  }
  pages_.ask(moves);
}

std::vector<planned_page> linux_program::take_moved_pages() {
  std::vector<planned_page> moved;
  for (const live::page_move& origin : pages_.take_origins()) {
    const auto sent = sent_to_.find(origin.page);
    const std::optional<node_id> from = node_of_system(static_cast<int>(origin.node));
    if (sent == sent_to_.end() || !from) continue;
    moved.push_back({origin.page, origin.bytes, *from, node_of_number_.at(sent->second)});
  }
  return moved;
}

}  // namespace numatch::control
