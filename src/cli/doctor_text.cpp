// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_text.hpp"

#include <algorithm>

#include "live/concerns.hpp"
#include "mapping/recipes.hpp"
#include "report/format.hpp"

namespace numatch::cli {

namespace {

using live::concern;
using live::system_facts;
using report::pad;
using report::pad_left;

constexpr std::size_t page_width = 100;

/// The lines of a text behind `indent` columns.
std::string indented(std::string_view text, std::size_t indent) {
  std::string lines;
  for (const std::string& line : report::wrap(text, page_width - indent)) {
    lines += std::string(indent, ' ') + line + "\n";
  }
  return lines;
}

std::string nodes_text(const system_facts& facts) {
  std::string text = "\nnode      memory  processors\n";
  for (const live::node_facts& node : facts.nodes) {
    text += fmt::format("{:<4}  {}  {}\n", node.os_index,
                        pad_left(report::bytes(node.memory_bytes), 10),
                        node.cpus.empty() ? "none" : cpu_list(node.cpus));
  }
  return text;
}

std::string sensors_text(std::span<const examined_sensor> sensors) {
  std::size_t width = 0;
  for (const examined_sensor& s : sensors) width = std::max(width, s.name.size());
  std::string text = "\nsensors, the best first\n";
  for (const examined_sensor& s : sensors) {
    const std::size_t indent = width + 9;
    const std::string summary = indented(s.summary, indent);
    text += fmt::format("  {}  {}  {}", pad(s.name, width), s.here.works ? "yes" : "no ",
                        std::string_view(summary).substr(indent));
    text += indented(fmt::format("sees {}", s.sees), indent);
    if (s.here.works) continue;
    text += indented(s.here.reason, indent);
    if (!s.here.remedy.empty()) text += indented("needs: " + s.here.remedy, indent);
  }
  return text;
}

std::string concerns_text(const system_facts& facts) {
  std::string text = "\nwhat may interfere\n";
  std::string quiet;
  bool any = false;
  for (const concern& c : live::concerns_of(facts)) {
    if (!c.matters) {
      quiet += fmt::format("{}{}: {}", quiet.empty() ? "" : "; ", c.name, c.state);
      continue;
    }
    any = true;
    text += fmt::format("  {}: {}\n", c.name, c.state);
    text += indented(c.says, 6);
    if (!c.remedy.empty()) text += indented(c.remedy, 6);
  }
  if (!any) text += "  nothing\n";
  return text + "\nno concern\n" + indented(quiet, 2);
}

std::string rights_text(const system_facts& facts) {
  std::string text = facts.user == 0 ? "root" : fmt::format("user {}", facts.user);
  const auto may = [&](bool allowed, std::string_view capability) {
    text += fmt::format(", {} {}", allowed ? "with" : "without", capability);
  };
  may(facts.may_trace_all, "CAP_SYS_PTRACE");
  may(facts.may_sample_all, "CAP_PERFMON");
  may(facts.may_renice_all, "CAP_SYS_NICE");
  text += "; kernel.perf_event_paranoid ";
  text += facts.perf_event_paranoid ? fmt::to_string(*facts.perf_event_paranoid) : "unknown";
  text += facts.yama_ptrace_scope
              ? fmt::format(", kernel.yama.ptrace_scope {}", *facts.yama_ptrace_scope)
              : ", no Yama";
  return text;
}

}  // namespace

std::vector<examined_sensor> examine(std::span<const live::sensor_entry* const> sensors,
                                     const system_facts& facts) {
  std::vector<examined_sensor> examined;
  for (const live::sensor_entry* entry : sensors) {
    examined.push_back(
        {entry->name, entry->summary, entry->sees, entry->rank, entry->probe(facts)});
  }
  std::stable_sort(
      examined.begin(), examined.end(),
      [](const examined_sensor& a, const examined_sensor& b) { return a.rank < b.rank; });
  return examined;
}

std::string doctor_text(const system_facts& facts, std::span<const examined_sensor> sensors) {
  const std::size_t nodes = facts.nodes.size();
  std::string text =
      fmt::format("Linux {}, {} NUMA node{}\n", facts.release, nodes, nodes == 1 ? "" : "s");
  text += indented(rights_text(facts), 0);
  const auto best = std::find_if(sensors.begin(), sensors.end(),
                                 [](const examined_sensor& s) { return s.here.works; });
  text += best == sensors.end()
              ? "no sensor works here: running programs cannot be observed\n"
              : fmt::format("running programs can be observed; --sensor auto is {}\n", best->name);
  if (nodes == 1) {
    text += "one node: pages are all equally near; placing threads can still share caches\n";
  }
  return text + nodes_text(facts) + sensors_text(sensors) + concerns_text(facts);
}

}  // namespace numatch::cli
