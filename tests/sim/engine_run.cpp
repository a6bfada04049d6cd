// SPDX-License-Identifier: Apache-2.0
#include "sim/engine_run.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace numatch::sim {

std::vector<run_result> run_engine(const named_machine& machine, const program& code,
                                   const std::vector<run_options>& runs, unsigned jobs) {
  const result<topology> where = topology::load(topology_text(machine.shape));
  if (!where) throw std::runtime_error(where.error().message());
  const std::atomic<bool> stop = false;
  result<std::vector<run_result>> ended =
      simulate(*where, machine.config, code, runs, jobs, [](std::uint64_t) {}, stop);
  if (!ended) throw std::runtime_error(ended.error().message());
  return *ended;
}

run_options plain_options(page_placing pages, std::uint64_t phase_cycles) {
  run_options made;
  made.threads = thread_placing::compact;
  made.pages = pages;
  made.phase_cycles = phase_cycles;
  return made;
}

std::vector<std::pair<std::string, std::uint64_t>> figures_of(const run_result& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> all = {
      {"cycles", counts.cycles},
      {"instructions", counts.instructions},
      {"accesses", counts.accesses},
      {"running cycles", counts.running_cycles},
      {"stall, TLB", counts.stall_tlb},
      {"stall, caches", counts.stall_caches},
      {"stall, memory", counts.stall_memory},
      {"stall, queues", counts.stall_queues},
      {"stall, system", counts.stall_system},
      {"TLB accesses", counts.tlb_accesses},
      {"TLB misses", counts.tlb_misses},
      {"page walks", counts.page_walks},
      {"local memory", counts.local_memory},
      {"remote memory", counts.remote_memory},
      {"cache to cache", counts.cache_to_cache},
      {"upgrades", counts.upgrades},
      {"invalidations", counts.invalidations},
      {"write-backs", counts.write_backs},
      {"row hits", counts.row_hits},
      {"rows closed", counts.row_closed},
      {"row conflicts", counts.row_conflicts},
      {"traffic inside chips", counts.inside_bytes},
      {"pages", counts.pages},
      {"page faults", counts.page_faults},
  };
  for (const cache_counts& level : counts.caches) {
    all.emplace_back(fmt::format("accesses of cache {}", level.level), level.accesses);
    all.emplace_back(fmt::format("misses of cache {}", level.level), level.misses);
  }
  for (std::size_t why = 0; why < traffic_classes; ++why) {
    all.emplace_back(fmt::format("traffic, {}", to_string(static_cast<traffic>(why))),
                     counts.traffic_bytes[why]);
  }
  return all;
}

std::string differences(const run_result& reference, const run_result& engine) {
  const auto expected = figures_of(reference);
  const auto given = figures_of(engine);
  if (expected.size() != given.size()) return "other levels of caches\n";
  std::string text;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == given[i]) continue;
    text += fmt::format("{}: reference {}, engine {}\n", expected[i].first, expected[i].second,
                        given[i].second);
  }
  return text;
}

namespace {

std::string text_of(const energy_split& energy) {
  return fmt::format("{} {} {} {}\n", energy.cores, energy.caches, energy.links, energy.memory);
}

}  // namespace

std::string text_of(const run_result& result) {
  std::string text =
      fmt::format("{} | {} | {}\n", result.mechanism, result.threads_start, result.pages_start);
  for (const auto& [name, value] : result.parameters) text += fmt::format("{}={}\n", name, value);
  for (const auto& [name, value] : figures_of(result)) text += fmt::format("{}: {}\n", name, value);
  text += fmt::format("{} {} {} {} {} {} {} {} {}\n", result.induced_faults, result.pages_asked,
                      result.pages_moved, result.pages_failed, result.pages_replicated,
                      result.replicas_collapsed, result.page_move_cycles, result.threads_moved,
                      result.thread_move_cycles);
  text += fmt::format("{} {} {} {} {} {} {}\n", result.hardware_events, result.events_dropped,
                      result.hardware_cycles, result.table_accesses, result.software_cycles,
                      result.first_thread_mapping.value_or(0), result.first_page_move.value_or(0));
  text += text_of(result.dynamic_energy) + text_of(result.static_energy);
  for (const timeline_point& p : result.timeline) {
    text +=
        fmt::format("{} {} {} {} {} {} {} {}\n", p.begin, p.end, p.instructions, p.memory_accesses,
                    p.remote_accesses, p.traffic_bytes, p.pages_moved, p.threads_moved);
  }
  for (const decision& d : result.decisions) {
    text += fmt::format("{} {} {}\n", d.cycle, d.threads_moved, d.pages_asked);
  }
  return text;
}

}  // namespace numatch::sim
