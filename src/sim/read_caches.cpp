// SPDX-License-Identifier: Apache-2.0
#include "sim/read_caches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

namespace numatch::sim {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr unsigned levels_with_facts = 3;
constexpr std::uint64_t most_lines = 1U << 28U;  // 2 GiB of tags
constexpr unsigned most_ways = 1024;

/// What a level is where nobody states it.
struct usual_cache {
  std::uint64_t bytes;
  unsigned ways;
  unsigned latency;
};

usual_cache usual(unsigned level, bool is_last) {
  if (level == 1) return {16 * kib, 4, 2};
  if (level == 2) return is_last ? usual_cache{1 * mib, 8, 5} : usual_cache{256 * kib, 8, 5};
  return {8 * mib, 16, 20};
}

/// Numbers 0, 1, … in the order of the PUs.
sharing_groups renumbered(const std::vector<unsigned>& raw) {
  std::map<unsigned, unsigned> number;
  sharing_groups groups;
  for (const unsigned g : raw) {
    const unsigned next = static_cast<unsigned>(number.size());
    groups.group.push_back(number.try_emplace(g, next).first->second);
  }
  groups.count = static_cast<unsigned>(number.size());
  return groups;
}

sharing_groups node_groups(const topology& machine) {
  std::vector<unsigned> nodes;
  for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
    nodes.push_back(machine.node_of(pu_id(pu)).value);
  }
  return renumbered(nodes);
}

/// Whether PUs with one number in `inner` have one number in `outer`.
bool nests(const std::vector<unsigned>& inner, const std::vector<unsigned>& outer) {
  std::map<unsigned, unsigned> around;
  for (std::size_t pu = 0; pu < inner.size(); ++pu) {
    if (around.try_emplace(inner[pu], outer[pu]).first->second != outer[pu]) return false;
  }
  return true;
}

void check_sharing(fact_reader& facts, const topology& machine,
                   const std::vector<cache_config>& caches) {
  for (std::size_t i = 0; i + 1 < caches.size(); ++i) {
    if (nests(caches[i].shared.group, caches[i + 1].shared.group)) continue;
    facts.complain(fmt::format("an L{} serves fewer PUs than the L{} above it", caches[i + 1].level,
                               caches[i].level));
  }
  if (!nests(core_groups(machine).group, caches.front().shared.group)) {
    facts.complain(fmt::format("the PUs of one core do not share an L{}", caches.front().level));
  }
  if (!nests(caches.back().shared.group, node_groups(machine).group)) {
    facts.complain(fmt::format("an L{} serves PUs of several NUMA nodes", caches.back().level),
                   "the simulated machine has whole last-level caches inside nodes");
  }
}

void check_shape(fact_reader& facts, const cache_config& cache, unsigned line_bytes) {
  const std::uint64_t set_bytes = std::uint64_t{line_bytes} * cache.ways;
  if (cache.ways == 0 || cache.banks == 0) {
    return facts.complain(
        fmt::format("cache.l{} has no {}", cache.level, cache.ways == 0 ? "ways" : "banks"));
  }
  if (cache.bytes == 0 || cache.bytes % set_bytes != 0) {
    facts.complain(fmt::format("cache.l{}.size of {} B is not a whole number of sets of {} ways of "
                               "{} B",
                               cache.level, cache.bytes, cache.ways, line_bytes),
                   fmt::format("change the size or cache.l{}.ways", cache.level));
  }
  if (cache.ways > most_ways) {
    facts.complain(fmt::format("cache.l{}.ways is more than {}", cache.level, most_ways));
  }
  if (cache.bytes > 4096 * mib) {
    facts.complain(fmt::format("cache.l{}.size is more than 4 GiB", cache.level));
  }
}

cache_config read_cache(fact_reader& facts, const cache_level& level, bool is_last) {
  const std::string prefix = fmt::format("cache.l{}.", level.level);
  const usual_cache fallback = usual(level.level, is_last);
  cache_config cache;
  cache.level = level.level;
  cache.bytes = facts.bytes(prefix + "size", level.bytes != 0 ? level.bytes : fallback.bytes);
  cache.ways = facts.count(prefix + "ways", level.ways != 0 ? level.ways : fallback.ways);
  cache.banks = facts.count(prefix + "banks", 1);
  cache.latency = facts.cycles(prefix + "latency", fallback.latency);
  cache.inclusive = facts.yes(prefix + "inclusive", true);
  if (std::find(level.group.begin(), level.group.end(), no_cache) != level.group.end()) {
    facts.complain(fmt::format("a PU has no L{} cache", level.level),
                   "the simulated machine needs all PUs to have the same levels");
  }
  cache.shared = renumbered(level.group);
  return cache;
}

/// A machine that states no caches.
std::vector<cache_level> usual_levels(const topology& machine) {
  cache_level first;
  first.group = core_groups(machine).group;
  cache_level second;
  second.level = 2;
  second.group = node_groups(machine).group;
  return {first, second};
}

}  // namespace

sharing_groups core_groups(const topology& machine) {
  std::vector<unsigned> cores;
  for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
    cores.push_back(machine.core_of(pu_id(pu)));
  }
  return renumbered(cores);
}

unsigned read_line_bytes(fact_reader& facts, const std::vector<cache_level>& levels) {
  const std::uint64_t unstated = levels.empty() ? 64 : levels.front().line_bytes;
  const std::uint64_t line = facts.bytes("cache.l1.line", unstated);
  if (line < 16 || line > 1024 || !std::has_single_bit(line)) {
    facts.complain(fmt::format("a line of {} B is not a power of two from 16 to 1024 B", line));
    return 64;
  }
  for (unsigned level = 1; level <= levels_with_facts; ++level) {
    const std::string key = fmt::format("cache.l{}.line", level);
    if (facts.bytes(key, line) != line) {
      facts.complain(fmt::format("{} is not {} B as in the first level", key, line),
                     "the simulated machine has lines of one size");
    }
  }
  return static_cast<unsigned>(line);
}

std::vector<cache_config> read_caches(fact_reader& facts, const topology& machine,
                                      const std::vector<cache_level>& levels) {
  const std::vector<cache_level> all = levels.empty() ? usual_levels(machine) : levels;
  const unsigned line_bytes = read_line_bytes(facts, all);
  std::vector<cache_config> caches;
  for (const cache_level& level : all) {
    caches.push_back(read_cache(facts, level, level.level == all.back().level));
    check_shape(facts, caches.back(), line_bytes);
  }
  if (!facts.problem()) check_sharing(facts, machine, caches);
  std::uint64_t lines = 0;
  for (const cache_config& cache : caches) {
    lines += cache.bytes / line_bytes * cache.shared.count;
  }
  if (lines > most_lines) {
    facts.complain(
        fmt::format("the caches hold {} lines, at most {} can be simulated", lines, most_lines));
  }
  for (unsigned level = 1; level <= levels_with_facts; ++level) {
    const bool there = std::any_of(caches.begin(), caches.end(),
                                   [&](const cache_config& c) { return c.level == level; });
    if (there || !facts.has_section(fmt::format("cache.l{}.", level))) continue;
    facts.complain(fmt::format("cache.l{} is described, but the machine has no L{}", level, level),
                   fmt::format("say in tree.hwloc who shares it, as in 'l{}:1'", level));
  }
  return caches;
}

}  // namespace numatch::sim
