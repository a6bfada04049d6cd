// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace numatch::report {

namespace {

using sim::energy_split;
using sim::run_result;

metric_value ratio(std::uint64_t part, std::uint64_t whole, double scale = 1) {
  if (whole == 0) return {};
  return scale * static_cast<double>(part) / static_cast<double>(whole);
}

metric_value milliseconds(const run_result& run, std::optional<std::uint64_t> cycles) {
  if (!cycles) return {};
  return milliseconds_of(*cycles, run.hertz);
}

/// What is left of the running time without all stalls: one cycle per instruction.
std::uint64_t instruction_cycles(const run_result& run) {
  const std::uint64_t stalls =
      run.stall_tlb + run.stall_caches + run.stall_memory + run.stall_queues + run.stall_system;
  return run.running_cycles - std::min(stalls, run.running_cycles);
}

/// Collects the metrics of one group after the other.
class table {
 public:
  explicit table(std::span<const run_result> runs) : runs_(runs) {}

  void group(std::string key) { group_ = std::move(key); }

  /// `value`: run_result → metric_value or what becomes one.
  template <class Value>
  void add(std::string key, std::string label, const Value& value,
           metric_form form = metric_form::amount, metric_row row = metric_row::always) {
    metric made{group_, std::move(key), std::move(label), form, row, {}};
    for (const run_result& run : runs_) {
      made.values.emplace_back(std::invoke(value, run));
    }
    metrics_.push_back(std::move(made));
  }

  std::vector<metric> take() { return std::move(metrics_); }

 private:
  std::span<const run_result> runs_;
  std::string group_;
  std::vector<metric> metrics_;
};

constexpr metric_form amount = metric_form::amount;
constexpr metric_form decimal = metric_form::decimal;
constexpr metric_form share = metric_form::share;
constexpr metric_form bytes = metric_form::bytes;
constexpr metric_row if_any = metric_row::if_any;
constexpr metric_row never = metric_row::never;

void add_time(table& t) {
  t.group("time");
  t.add(
      "milliseconds", "execution time, ms",
      [](const run_result& r) { return milliseconds(r, r.cycles); }, decimal);
  t.add("cycles", "execution time, cycles", &run_result::cycles);
  t.add("instructions", "instructions", &run_result::instructions);
  t.add("accesses", "accesses", &run_result::accesses, amount, never);
  t.add("running_cycles", "cycles of all threads", &run_result::running_cycles, amount, never);
  t.add(
      "cpi", "cycles per instruction",
      [](const run_result& r) { return ratio(r.running_cycles, r.instructions); }, decimal);
}

void add_stalls(table& t) {
  t.group("cpi_stack");
  const auto part = [&](const std::string& key, const char* label, auto cycles) {
    const auto per_instruction = [cycles](const run_result& r) {
      return ratio(std::invoke(cycles, r), r.instructions);
    };
    t.add(key, label, per_instruction, decimal);
    t.add(key + "_cycles", label, cycles, amount, never);
  };
  part("instructions", "instructions", &instruction_cycles);
  part("tlb", "TLB", &run_result::stall_tlb);
  part("caches", "caches", &run_result::stall_caches);
  part("memory", "memory", &run_result::stall_memory);
  part("queues", "queues", &run_result::stall_queues);
  part("system", "operating system", &run_result::stall_system);
}

void add_misses(table& t, std::span<const run_result> runs) {
  t.group("misses");
  std::vector<unsigned> levels;
  for (const run_result& run : runs) {
    for (const sim::cache_counts& cache : run.caches) {
      if (std::ranges::find(levels, cache.level) == levels.end()) levels.push_back(cache.level);
    }
  }
  std::ranges::sort(levels);
  const auto counts = [](const run_result& run, unsigned level) {
    const auto found = std::ranges::find(run.caches, level, &sim::cache_counts::level);
    return found == run.caches.end() ? sim::cache_counts{level, 0, 0} : *found;
  };
  for (const unsigned level : levels) {
    t.add(
        fmt::format("l{}_mpki", level), fmt::format("L{} misses per 1000 instr.", level),
        [=](const run_result& r) { return ratio(counts(r, level).misses, r.instructions, 1000); },
        decimal);
    t.add(
        fmt::format("l{}_accesses", level), fmt::format("L{} accesses", level),
        [=](const run_result& r) { return counts(r, level).accesses; }, amount, never);
    t.add(
        fmt::format("l{}_misses", level), fmt::format("L{} misses", level),
        [=](const run_result& r) { return counts(r, level).misses; }, amount, never);
  }
  t.add(
      "tlb_miss_rate", "TLB miss rate",
      [](const run_result& r) { return ratio(r.tlb_misses, r.tlb_accesses); }, share);
  t.add(
      "walks_per_1000_instructions", "page walks per 1000 instr.",
      [](const run_result& r) { return ratio(r.page_walks, r.instructions, 1000); }, decimal);
  t.add("tlb_accesses", "TLB accesses", &run_result::tlb_accesses, amount, never);
  t.add("tlb_misses", "TLB misses", &run_result::tlb_misses, amount, never);
  t.add("page_walks", "page walks", &run_result::page_walks, amount, never);
}

void add_memory(table& t) {
  t.group("memory");
  t.add("accesses", "memory accesses", &run_result::memory_accesses);
  t.add(
      "remote_share", "remote share",
      [](const run_result& r) { return ratio(r.remote_memory, r.memory_accesses()); }, share);
  t.add("local", "local", &run_result::local_memory, amount, never);
  t.add("remote", "remote", &run_result::remote_memory, amount, never);
  t.add(
      "row_hit_share", "DRAM row hits",
      [](const run_result& r) {
        return ratio(r.row_hits, r.row_hits + r.row_closed + r.row_conflicts);
      },
      share);
  t.add("row_hits", "row hits", &run_result::row_hits, amount, never);
  t.add("row_closed", "no row open", &run_result::row_closed, amount, never);
  t.add("row_conflicts", "row conflicts", &run_result::row_conflicts, amount, never);
}

void add_coherence(table& t) {
  t.group("coherence");
  t.add("cache_to_cache", "cache-to-cache transfers", &run_result::cache_to_cache);
  t.add("upgrades", "upgrades", &run_result::upgrades);
  t.add("invalidations", "invalidations", &run_result::invalidations);
  t.add("write_backs", "write-backs", &run_result::write_backs);
}

void add_traffic(table& t) {
  t.group("traffic");
  t.add("total_bytes", "in total", &run_result::total_traffic, bytes);
  constexpr std::array<const char*, sim::traffic_classes> keys{
      "request_bytes",    "forward_bytes",   "invalidation_bytes", "data_bytes",
      "write_back_bytes", "page_copy_bytes", "table_bytes"};
  for (std::size_t why = 0; why < keys.size(); ++why) {
    t.add(
        keys[why], std::string(to_string(static_cast<sim::traffic>(why))),
        [why](const run_result& r) { return r.traffic_bytes[why]; }, bytes, if_any);
  }
  t.add("inside_bytes", "besides, inside chips", &run_result::inside_bytes, bytes, if_any);
}

void add_placement(table& t) {
  t.group("placement");
  const auto running_share = [](auto cycles) {
    return
        [cycles](const run_result& r) { return ratio(std::invoke(cycles, r), r.running_cycles); };
  };
  t.add("pages", "pages", &run_result::pages);
  t.add("page_faults", "page faults", &run_result::page_faults);
  t.add("induced_faults", "induced faults", &run_result::induced_faults, amount, if_any);
  t.add("pages_asked", "page moves asked for", &run_result::pages_asked, amount, never);
  t.add("pages_moved", "page moves", &run_result::pages_moved);
  t.add("pages_failed", "page moves refused", &run_result::pages_failed, amount, if_any);
  t.add("page_move_cycles", "cycles for page moves", &run_result::page_move_cycles, amount, if_any);
  t.add("page_move_share", "their share of time", running_share(&run_result::page_move_cycles),
        share, if_any);
  t.add("pages_replicated", "pages replicated", &run_result::pages_replicated, amount, if_any);
  t.add("replicas_collapsed", "replicas given up", &run_result::replicas_collapsed, amount, if_any);
  t.add("threads_moved", "thread moves", &run_result::threads_moved);
  t.add("thread_move_cycles", "cycles for thread moves", &run_result::thread_move_cycles, amount,
        if_any);
  t.add("thread_move_share", "their share of time", running_share(&run_result::thread_move_cycles),
        share, if_any);
  t.add(
      "first_thread_mapping_ms", "first thread mapping, ms",
      [](const run_result& r) { return milliseconds(r, r.first_thread_mapping); }, decimal, if_any);
  t.add(
      "first_page_move_ms", "first page move, ms",
      [](const run_result& r) { return milliseconds(r, r.first_page_move); }, decimal, if_any);
}

void add_overhead(table& t) {
  t.group("overhead");
  t.add("hardware_events", "hardware events handled", &run_result::hardware_events, amount, if_any);
  t.add("events_dropped", "hardware events dropped", &run_result::events_dropped, amount, if_any);
  t.add(
      "handled_share", "handled share",
      [](const run_result& r) {
        return ratio(r.hardware_events, r.hardware_events + r.events_dropped);
      },
      share, if_any);
  t.add("hardware_cycles", "cycles of hardware", &run_result::hardware_cycles, amount, never);
  t.add(
      "cycles_per_event", "cycles per event",
      [](const run_result& r) { return ratio(r.hardware_cycles, r.hardware_events); }, decimal,
      if_any);
  t.add(
      "hardware_share", "hardware, share of time",
      [](const run_result& r) { return ratio(r.hardware_cycles, r.running_cycles); }, share,
      if_any);
  t.add("table_accesses", "table accesses", &run_result::table_accesses, amount, if_any);
  t.add(
      "table_share", "their share of accesses",
      [](const run_result& r) { return ratio(r.table_accesses, r.accesses + r.table_accesses); },
      share, if_any);
  t.add("software_cycles", "software cycles", &run_result::software_cycles, amount, if_any);
  t.add(
      "software_share", "software, share of time",
      [](const run_result& r) { return ratio(r.software_cycles, r.running_cycles); }, share,
      if_any);
}

void add_energy(table& t) {
  t.group("energy");
  const auto total = [](const run_result& r) {
    return r.dynamic_energy.total() + r.static_energy.total();
  };
  t.add("total_mj", "in total, mJ", [=](const run_result& r) { return 1e3 * total(r); }, decimal);
  t.add(
      "per_instruction_nj", "per instruction, nJ",
      [=](const run_result& r) -> metric_value {
        if (r.instructions == 0) return {};
        return 1e9 * total(r) / static_cast<double>(r.instructions);
      },
      decimal);
  const auto millijoule = [](energy_split run_result::* kind, double energy_split::* part) {
    return [=](const run_result& r) { return 1e3 * (r.*kind.*part); };
  };
  constexpr std::array<std::pair<const char*, double energy_split::*>, 4> parts{
      {{"cores", &energy_split::cores},
       {"caches", &energy_split::caches},
       {"links", &energy_split::links},
       {"memory", &energy_split::memory}}};
  for (const auto& [name, part] : parts) {
    t.add(fmt::format("{}_dynamic_mj", name), fmt::format("{}, dynamic, mJ", name),
          millijoule(&run_result::dynamic_energy, part), decimal);
    t.add(fmt::format("{}_static_mj", name), fmt::format("{}, static, mJ", name),
          millijoule(&run_result::static_energy, part), decimal);
  }
}

}  // namespace

std::optional<double> number_of(const metric_value& value) {
  if (const std::uint64_t* whole = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  if (const double* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::string_view heading_of(std::string_view group) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> headings{
      {{"time", "Time"},
       {"cpi_stack", "Of each instruction's cycles"},
       {"misses", "Misses"},
       {"memory", "Memory"},
       {"coherence", "Coherence between chips"},
       {"traffic", "Traffic between chips, bytes x hops"},
       {"placement", "Placement"},
       {"overhead", "The mechanism's own work"},
       {"energy", "Energy"}}};
  for (const auto& [key, heading] : headings) {
    if (key == group) return heading;
  }
  return group;
}

std::vector<metric> metrics_of(std::span<const sim::run_result> runs) {
  table t(runs);
  add_time(t);
  add_stalls(t);
  add_misses(t, runs);
  add_memory(t);
  add_coherence(t);
  add_traffic(t);
  add_placement(t);
  add_overhead(t);
  add_energy(t);
  return t.take();
}

double milliseconds_of(std::uint64_t cycles, double hertz) {
  return hertz == 0 ? 0 : 1e3 * static_cast<double>(cycles) / hertz;
}

double overhead_share(const sim::run_result& run) {
  return number_of(ratio(run.hardware_cycles + run.software_cycles, run.running_cycles))
      .value_or(0);
}

}  // namespace numatch::report
