// SPDX-License-Identifier: Apache-2.0
#include "cpu_lists.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "numatch/numa/topology.hpp"

namespace numatch {
inline namespace numa_v1 {

namespace {

/// Linux has no more.
constexpr unsigned most_cpus = 8192;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(at);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

unsigned number(std::string_view text) {
  text = trimmed(text);
  unsigned value = 0;
  const std::from_chars_result read =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
      value >= most_cpus) {
    throw topology_error("'" + std::string(text) + "' is no processor number; write \"0-3:4-7\"");
  }
  return value;
}

}  // namespace

std::vector<std::vector<unsigned>> parse_cpu_lists(std::string_view text) {
  std::vector<std::vector<unsigned>> nodes;
  std::set<unsigned> seen;
  for (const std::string_view list : split(text, ':')) {
    std::vector<unsigned>& cpus = nodes.emplace_back();
    for (const std::string_view range : split(list, ',')) {
      const std::size_t dash = range.find('-');
      const unsigned first = number(range.substr(0, dash));
      const unsigned last = dash == std::string_view::npos ? first : number(range.substr(dash + 1));
      if (last < first) {
        throw topology_error("the range '" + std::string(range) + "' runs backwards");
      }
      for (unsigned cpu = first; cpu <= last; ++cpu) {
        if (!seen.insert(cpu).second) {
          throw topology_error("processor " + std::to_string(cpu) + " is named twice");
        }
        cpus.push_back(cpu);
      }
    }
    std::sort(cpus.begin(), cpus.end());
  }
  return nodes;
}

std::string cpu_list_text(std::span<const unsigned> cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace numa_v1
}  // namespace numatch
