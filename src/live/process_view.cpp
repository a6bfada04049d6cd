// SPDX-License-Identifier: Apache-2.0
#include "live/process_view.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "live/proc_text.hpp"
#include "live/system_tree.hpp"

namespace numatch::live {

namespace {

std::optional<unsigned> node_of(unsigned cpu, const system_facts& machine) {
  for (const node_facts& node : machine.nodes) {
    if (std::find(node.cpus.begin(), node.cpus.end(), cpu) != node.cpus.end()) {
      return node.os_index;
    }
  }
  return std::nullopt;
}

/// Field `number` of a task's stat, counted as proc(5) does; those before 3 are not asked for.
std::string_view stat_field(std::string_view stat, int number) {
  // The name is in parentheses and may hold blanks.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  stat.remove_prefix(std::min(stat.size(), name_end + 2));
  for (int field = 3; field < number; ++field) {
    stat.remove_prefix(std::min(stat.size(), std::min(stat.find(' '), stat.size()) + 1));
  }
  return stat.substr(0, stat.find(' '));
}

std::uint64_t transparent_huge_bytes(pid_t pid) {
  const std::optional<std::string> sums = read_proc(fmt::format("/proc/{}/smaps_rollup", pid));
  if (!sums) return 0;
  const std::optional<std::string_view> kilobytes = status_field(*sums, "AnonHugePages");
  return kilobytes ? leading_number<std::uint64_t>(*kilobytes).value_or(0) * 1024 : 0;
}

node_share& share_on(unsigned node, std::vector<node_share>& shares) {
  for (node_share& share : shares) {
    if (share.node == node) return share;
  }
  node_share added;
  added.node = node;
  return shares.emplace_back(added);
}

void add_up(process_view& view) {
  for (const task_view& task : view.tasks) {
    if (task.node) ++share_on(*task.node, view.nodes).threads;
  }
  for (const mapped_pages& mapping : view.mappings) {
    for (const auto& [node, pages] : mapping.pages_on) {
      node_share& share = share_on(node, view.nodes);
      share.bytes += pages * mapping.page_bytes;
      share.by_kind[static_cast<std::size_t>(mapping.kind)] += pages * mapping.page_bytes;
    }
  }
  for (const node_share& share : view.nodes) {
    view.bytes += share.bytes;
    if (share.threads > 0) view.local_bytes += share.bytes;
  }
  if (view.bytes == 0 || view.tasks.empty()) return;
  double local = 0;
  for (const node_share& share : view.nodes) {
    local += static_cast<double>(share.threads) * static_cast<double>(share.bytes);
  }
  view.even_share =
      local / static_cast<double>(view.tasks.size()) / static_cast<double>(view.bytes);
}

}  // namespace

std::optional<task_view> view_task(pid_t process, pid_t task, const system_facts& machine) {
  const std::string folder = task_folder(process, task);
  const std::optional<std::string> stat = read_proc(folder + "stat");
  const std::optional<std::string> status = read_proc(folder + "status");
  if (!stat || !status) return std::nullopt;
  constexpr int state = 3;
  constexpr int user_time = 14;
  constexpr int system_time = 15;
  constexpr int last_cpu = 39;
  task_view view;
  view.task = task;
  view.name = std::string(status_field(*status, "Name").value_or(""));
  const std::string_view letter = stat_field(*stat, state);
  if (!letter.empty()) view.state = letter.front();
  view.cpu = leading_number<unsigned>(stat_field(*stat, last_cpu)).value_or(0);
  view.node = node_of(view.cpu, machine);
  view.may_run_on = std::string(status_field(*status, "Cpus_allowed_list").value_or(""));
  const std::uint64_t ticks =
      leading_number<std::uint64_t>(stat_field(*stat, user_time)).value_or(0) +
      leading_number<std::uint64_t>(stat_field(*stat, system_time)).value_or(0);
  view.cpu_seconds = static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return view;
}

result<process_view> view_process(const observed_process& process, const system_facts& machine) {
  process_view view;
  view.pid = process.pid();
  view.name = process.name();
  const result<std::vector<pid_t>> tasks = process.tasks();
  if (!tasks) return tl::unexpected(tasks.error());
  for (const pid_t task : *tasks) {
    // A thread may have ended since they were listed.
    if (std::optional<task_view> seen = view_task(view.pid, task, machine)) {
      view.tasks.push_back(std::move(*seen));
    }
  }
  for (const node_facts& node : machine.nodes) {
    node_share share;
    share.node = node.os_index;
    view.nodes.push_back(share);
  }
  const std::optional<std::string> pages = read_proc(fmt::format("/proc/{}/numa_maps", view.pid));
  view.pages_known = pages.has_value();
  view.transparent_huge = transparent_huge_bytes(view.pid);
  if (!process.alive()) {
    return fail(fmt::format("process {}", view.pid), "has ended");
  }
  if (pages) view.mappings = parse_numa_maps(*pages);
  std::erase_if(view.mappings, [](const mapped_pages& m) { return m.bytes() == 0; });
  add_up(view);
  return view;
}

}  // namespace numatch::live
