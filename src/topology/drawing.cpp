// SPDX-License-Identifier: Apache-2.0
#include "topology/drawing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <span>

namespace numatch {

namespace {

constexpr std::size_t columns = 100;

/// Characters as a terminal counts them, not UTF-8 bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

class painter {
 public:
  painter(const topology& machine, const std::vector<std::string>& notes)
      : machine_(machine), notes_(notes), seen_(machine.depth() + 1, 0) {
    for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
      renumbered_ = renumbered_ || machine.os_index(pu_id(pu)) != pu;
    }
  }

  std::string run() {
    std::vector<pu_id> all;
    for (std::uint32_t pu = 0; pu < machine_.pu_count(); ++pu) all.emplace_back(pu);
    text_ = fmt::format("{}: {} NUMA node{}, {} PU{}{}\n", machine_.name(), machine_.node_count(),
                        machine_.node_count() == 1 ? "" : "s", all.size(),
                        all.size() == 1 ? "" : "s", caches_of(all));
    draw_children(all, 0, "");
    draw_memory_only_nodes();
    if (renumbered_) text_ += "numbers: PU as hwloc counts, =c the operating system's number\n";
    return text_;
  }

 private:
  using group = std::vector<pu_id>;

  std::vector<group> children_of(const group& pus, std::size_t level) const {
    std::vector<group> children;
    for (const pu_id pu : pus) {
      const unsigned number = machine_.path(pu)[level];
      if (children.size() <= number) children.resize(number + 1);
      children[number].push_back(pu);
    }
    return children;
  }

  std::string caches_of(const group& pus) const {
    std::string text;
    for (const cache_level& cache : std::ranges::reverse_view(machine_.caches())) {
      const unsigned mine = cache.group[pus.front().index()];
      if (mine == no_cache) continue;
      const std::size_t covered =
          static_cast<std::size_t>(std::count(cache.group.begin(), cache.group.end(), mine));
      const bool all_mine = std::all_of(pus.begin(), pus.end(),
                                        [&](pu_id pu) { return cache.group[pu.index()] == mine; });
      if (!all_mine || covered != pus.size()) continue;
      text += fmt::format(", L{}", cache.level);
      if (cache.bytes != 0) text += " " + size_text(cache.bytes);
    }
    return text;
  }

  /// Caches of single PUs or innermost groups are the same everywhere: said once per line of cells.
  std::string cell(const group& pus) const {
    std::vector<std::string> parts;
    for (const pu_id pu : pus) {
      std::string part = fmt::format("{}", pu.value);
      if (renumbered_) part += fmt::format("=c{}", machine_.os_index(pu));
      if (!notes_.empty()) part += ":" + (notes_[pu.index()].empty() ? "-" : notes_[pu.index()]);
      parts.push_back(std::move(part));
    }
    return fmt::format("{}", fmt::join(parts, " "));
  }

  void write_cells(const std::vector<std::string>& cells, const std::string& prefix) {
    std::size_t widest = 0;
    for (const std::string& c : cells) widest = std::max(widest, width(c));
    std::string line = prefix;
    const auto end_line = [&] {
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + "\n";
      line = prefix;
    };
    for (const std::string& c : cells) {
      const bool first = width(line) == width(prefix);
      if (!first && width(line) + 1 + widest > columns) end_line();
      if (width(line) > width(prefix)) line += ' ';
      line += c + std::string(widest - width(c), ' ');
    }
    end_line();
  }

  void draw_children(const group& pus, std::size_t level, const std::string& prefix) {
    const std::size_t depth = machine_.depth();
    if (level >= depth) return write_cells({"PU " + cell(pus)}, prefix + "└─ ");
    const std::vector<group> children = children_of(pus, level);
    const std::string& name = machine_.level_names()[level + 1];
    if (level + 1 == depth) {
      std::vector<std::string> cells;
      for (const group& child : children) cells.push_back(cell(child));
      text_ +=
          fmt::format("{}└─ PU{}{}\n", prefix,
                      level == 0 && machine_.node_count() == children.size() && children.size() > 1
                          ? ", one per NUMANode"
                          : "",
                      caches_of(children.front()));
      return write_cells(cells, prefix + "   ");
    }
    if (level + 2 == depth && name != "NUMANode" && name != "Package") {
      std::vector<std::string> cells;
      for (const group& child : children) cells.push_back("[" + cell(child) + "]");
      text_ += fmt::format("{}└─ {} [PU …]{}\n", prefix, name, caches_of(children.front()));
      return write_cells(cells, prefix + "   ");
    }
    for (std::size_t c = 0; c < children.size(); ++c) {
      const bool last = c + 1 == children.size();
      const std::string number = name == "NUMANode"
                                     ? node_name(machine_.node_of(children[c].front()))
                                     : fmt::format("{}", seen_[level]++);
      text_ += fmt::format("{}{}{} {}{}\n", prefix, last ? "└─ " : "├─ ", name, number,
                           caches_of(children[c]));
      draw_children(children[c], level + 1, prefix + (last ? "   " : "│  "));
    }
  }

  std::string node_name(node_id node) const {
    const unsigned os = machine_.os_index(node);
    return os == node.value ? fmt::format("{}", node.value)
                            : fmt::format("{} (system: {})", node.value, os);
  }

  void draw_memory_only_nodes() {
    std::set<node_id> homes;
    for (std::uint32_t pu = 0; pu < machine_.pu_count(); ++pu) {
      homes.insert(machine_.node_of(pu_id(pu)));
    }
    for (std::uint32_t n = 0; n < machine_.node_count(); ++n) {
      if (homes.count(node_id(n)) != 0) continue;
      text_ += fmt::format("NUMANode {}: memory without processors\n", node_name(node_id(n)));
    }
  }

  const topology& machine_;
  const std::vector<std::string>& notes_;
  std::vector<unsigned> seen_;
  bool renumbered_ = false;
  std::string text_;
};

}  // namespace

std::string draw_machine(const topology& machine, const std::vector<std::string>& notes) {
  return painter(machine, notes).run();
}

std::string draw_node_distances(const topology& machine) {
  const std::size_t nodes = machine.node_count();
  if (nodes == 1) return {};
  std::string text =
      fmt::format("\nnode distances (10 = local), {}\n     ",
                  machine.distances_known() ? "as the machine states them"
                                            : "assumed: the machine does not state them");
  for (std::size_t n = 0; n < nodes; ++n) text += fmt::format("{:>6}", n);
  text += '\n';
  for (std::uint32_t a = 0; a < nodes; ++a) {
    text += fmt::format("{:>5}", a);
    for (std::uint32_t b = 0; b < nodes; ++b) {
      text += fmt::format("{:>6}", machine.node_distance(node_id(a), node_id(b)));
    }
    text += '\n';
  }
  return text;
}

std::string size_text(std::uint64_t bytes) {
  static constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace numatch
