// SPDX-License-Identifier: Apache-2.0
#include "live/limit_facts.hpp"

#include <algorithm>

namespace numatch::live {

namespace {

template <class Value>
void keep_least(std::optional<Value>& least, std::optional<Value> value) {
  if (value && (!least || *value < *least)) least = value;
}

/// cpu.max is "quota period" in microseconds, or "max period".
std::optional<double> share_of(const std::string& cpu_max) {
  const std::optional<std::uint64_t> quota = leading_number<std::uint64_t>(cpu_max);
  const std::size_t blank = cpu_max.find(' ');
  if (!quota || blank == std::string::npos) return std::nullopt;
  const std::optional<std::uint64_t> period =
      leading_number<std::uint64_t>(std::string_view(cpu_max).substr(blank));
  if (!period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// Version 2: one tree; a group is limited by all groups above it.
void unified_limits(const system_tree& tree, std::string group, limit_facts& limits) {
  for (;;) {
    if (group == "/") group.clear();
    const std::string folder = "/sys/fs/cgroup" + group;
    keep_least(limits.memory_bytes, tree.number<std::uint64_t>(folder + "/memory.max"));
    const std::optional<std::string> cpu = tree.text(folder + "/cpu.max");
    if (cpu) keep_least(limits.cpu_time, share_of(*cpu));
    if (group.empty()) return;
    group.resize(group.find_last_of('/'));
  }
}

/// Version 1: a tree per controller. In a container its own group is the root of what is mounted.
void separate_limits(const system_tree& tree, const std::string& controllers,
                     const std::string& group, limit_facts& limits) {
  if (controllers == "memory") {
    // "No limit" is the largest number of whole pages.
    constexpr std::uint64_t none = 1ULL << 60U;
    for (const std::string& folder : {group, std::string()}) {
      const std::optional<std::uint64_t> most =
          tree.number<std::uint64_t>("/sys/fs/cgroup/memory" + folder + "/memory.limit_in_bytes");
      if (most && *most < none) keep_least(limits.memory_bytes, most);
    }
  }
  if (controllers == "cpu,cpuacct" || controllers == "cpu") {
    for (const std::string& folder : {group, std::string()}) {
      const std::string base = "/sys/fs/cgroup/cpu" + folder;
      const std::optional<int> quota = tree.number<int>(base + "/cpu.cfs_quota_us");
      const std::optional<int> period = tree.number<int>(base + "/cpu.cfs_period_us");
      if (quota && period && *quota > 0 && *period > 0) {
        keep_least<double>(limits.cpu_time, static_cast<double>(*quota) / *period);
      }
    }
  }
}

}  // namespace

limit_facts read_limits(const system_tree& tree) {
  limit_facts limits;
  const std::string status = "/proc/self/status";
  limits.cpus = number_list(tree.value(status, "Cpus_allowed_list").value_or(""));
  limits.nodes = number_list(tree.value(status, "Mems_allowed_list").value_or(""));
  std::string lines = tree.text("/proc/self/cgroup").value_or("");
  while (!lines.empty()) {
    const std::string line = lines.substr(0, lines.find('\n'));
    lines.erase(0, line.size() + 1);
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (group.empty() || group.front() != '/') continue;
    if (controllers.empty()) {
      unified_limits(tree, group, limits);
    } else {
      separate_limits(tree, controllers, group, limits);
    }
  }
  return limits;
}

}  // namespace numatch::live
