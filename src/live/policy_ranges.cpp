// SPDX-License-Identifier: Apache-2.0
#include "live/policy_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "live/numa_maps.hpp"
#include "live/proc_text.hpp"

namespace numatch::live {

std::vector<policy_range> policy_ranges(std::string_view numa_maps,
                                        std::span<const mapped_range> mappings) {
  std::vector<policy_range> ranges;
  for (mapped_pages& pages : parse_numa_maps(numa_maps)) {
    const std::span<const mapped_range>::iterator mapping = std::lower_bound(
        mappings.begin(), mappings.end(), pages.first,
        [](const mapped_range& known, std::uint64_t address) { return known.first < address; });
    if (mapping == mappings.end() || mapping->first != pages.first) continue;
    ranges.push_back({pages.first, mapping->end, std::move(pages.policy)});
  }
  return ranges;
}

result<std::vector<policy_range>> read_policies(const observed_process& process) {
  const std::string path = fmt::format("/proc/{}/numa_maps", process.pid());
  const std::optional<std::string> text = read_proc(path);
  const result<std::vector<mapped_range>> mappings = process.mappings();
  if (!mappings) return tl::unexpected(mappings.error());
  if (!text) return fail(path, "cannot be read: this kernel knows no memory policies");
  return policy_ranges(*text, *mappings);
}

bool is_hint_policy(std::string_view policy) {
  if (policy == "local") return true;
  for (const std::string_view name : {"prefer (many)=", "bind="}) {
    if (!policy.starts_with(name)) continue;
    const std::string_view flags = policy.substr(name.size());
    return flags.starts_with(":") || flags.starts_with("balancing:");
  }
  return false;
}

}  // namespace numatch::live
