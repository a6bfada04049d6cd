// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/energy.hpp"
#include "sim/engine.hpp"

namespace numatch::sim {

void engine::account() {
  result_.stall_system += fault_cycles_;
  result_.stall_tlb -= fault_cycles_;  // they are part of the lanes' TLB stalls
  fault_cycles_ = 0;
  const std::size_t pus = config_.pus();
  for (std::size_t i = 0; i < weave_lanes_.size(); ++i) {
    const lane& on = *weave_lanes_[i];
    const lane_cost& cost = weave_.costs()[i];
    const std::size_t number = static_cast<std::size_t>(weave_lanes_[i] - lanes_.data());
    if (number >= pus) {
      account_background(on, cost, number);
      continue;
    }
    sim_thread& t = threads_[on.thread];
    const std::uint64_t access_stall = config_.core.access_stall * (on.accesses + on.further_lines);
    const std::uint64_t stalled = cost.tlb + cost.caches + cost.memory + cost.queues;
    t.clock = cost.end;
    pu_clock_[number] = cost.end;
    last_on_pu_[number] = on.thread;
    if (counting_) {
      t.running += cost.end - on.start - cost.waited;
      result_.stall_tlb += cost.tlb;
      result_.stall_caches += cost.caches + access_stall;
      result_.stall_memory += cost.memory;
      result_.stall_queues += cost.queues;
    }
    if (on.accesses > 0) {
      const std::uint64_t share = (stalled << 8) / on.accesses;
      t.stall_share = t.stall_share == 0 ? share : (3 * t.stall_share + share) / 4;
    }
    if (t.now == sim_thread::state::ended) end_thread(on.thread);
  }
}

void engine::account_background(const lane& on, const lane_cost& cost, std::size_t number) {
  const std::size_t pu = number % config_.pus();
  const std::uint64_t cycles = cost.caches + cost.memory + cost.queues;
  switch (static_cast<software>(number / config_.pus())) {
    case software::none:
      result_.hardware_cycles += cycles;
      touch_latency_[pu] = (3 * touch_latency_[pu] + (cycles << 8) / on.references.size()) / 4;
      break;
    case software::handler:
      result_.software_cycles += cycles;
      charge(static_cast<std::uint32_t>(pu), cycles);
      break;
    case software::timer:
      spend_timer_cycles(static_cast<std::uint32_t>(pu), cycles);
      break;
  }
}

/// At scaled intervals the mechanism's timers run more often than they would: they pay their share.
void engine::spend_timer_cycles(std::uint32_t pu, std::uint64_t cycles) {
  const std::uint64_t unscaled =
      static_cast<std::uint64_t>(static_cast<double>(cycles) / options_.time_scale);
  result_.software_cycles += unscaled;
  charge(pu, unscaled);
}

/// Whoever runs there pays before it goes on.
void engine::charge(std::uint32_t pu, std::uint64_t cycles) {
  if (queue_[pu].empty()) return;
  threads_[queue_[pu].front()].charged += cycles;
}

void engine::add_timeline(bool last) {
  if (options_.timeline_cycles == 0) return;
  if (!last && phase_end_ - piece_.begin < options_.timeline_cycles) return;
  if (phase_end_ == piece_.begin) return;
  std::uint64_t instructions = 0;
  for (const sim_thread& t : threads_) instructions += t.instructions;
  const timeline_point now{
      piece_.begin,
      phase_end_,
      instructions,
      weave_.local_memory() + weave_.remote_memory(),
      weave_.remote_memory(),
      [&] {
        std::uint64_t bytes = 0;
        for (const std::uint64_t of : weave_.links().traffic_bytes()) bytes += of;
        return bytes;
      }(),
      result_.pages_moved,
      result_.threads_moved,
  };
  timeline_point piece = now;
  piece.instructions -= piece_.instructions;
  piece.memory_accesses -= piece_.memory_accesses;
  piece.remote_accesses -= piece_.remote_accesses;
  piece.traffic_bytes -= piece_.traffic_bytes;
  piece.pages_moved -= piece_.pages_moved;
  piece.threads_moved -= piece_.threads_moved;
  result_.timeline.push_back(piece);
  piece_ = now;
  piece_.begin = phase_end_;
}

void engine::finish_result() {
  add_timeline(true);
  run_result& r = result_;
  r.threads_start = std::string(to_string(options_.threads));
  r.pages_start = std::string(to_string(options_.pages));
  r.hertz = config_.core.hertz;
  std::uint64_t end = 0;
  for (const sim_thread& t : threads_) {
    r.instructions += t.instructions;
    r.accesses += t.accesses;
    r.running_cycles += t.running;
    end = std::max(end, t.clock);
  }
  r.cycles = region_cycles_ + (counting_ ? end - region_begin_ : 0);
  std::vector<std::uint64_t> lookups;
  for (std::size_t l = 0; l < config_.caches.size(); ++l) {
    cache_counts counts{config_.caches[l].level, 0, 0};
    std::uint64_t all = 0;
    for (const cache_shard& shard : shards_) {
      counts.accesses += shard.program_counts()[l].accesses;
      counts.misses += shard.program_counts()[l].misses;
      all += shard.mechanism_counts()[l].accesses;
    }
    r.caches.push_back(counts);
    lookups.push_back(all);
  }
  for (const front& f : fronts_) {
    r.tlb_accesses += f.tlb_accesses;
    r.tlb_misses += f.tlb_misses;
    r.page_walks += f.page_walks;
  }
  // Repeated references to a line were first-level hits that never reached the caches.
  r.caches.front().accesses = r.tlb_accesses;
  for (std::size_t l = 0; l < lookups.size(); ++l) lookups[l] += r.caches[l].accesses;
  r.local_memory = weave_.local_memory();
  r.remote_memory = weave_.remote_memory();
  r.cache_to_cache = weave_.cache_to_cache();
  r.upgrades = weave_.upgrades();
  r.invalidations = weave_.invalidations();
  r.write_backs = weave_.write_backs();
  for (const memory& m : weave_.memories()) {
    r.memory_reads += m.reads();
    r.memory_writes += m.writes();
    r.row_hits += m.row_hits();
    r.row_closed += m.rows_closed();
    r.row_conflicts += m.row_conflicts();
  }
  r.traffic_bytes = weave_.links().traffic_bytes();
  for (const chip_inside& chip : weave_.chips()) r.inside_bytes += chip.traffic_bytes();
  r.pages = known_pages_.size();
  r.table_accesses = world_.table_accesses;
  add_energy(r, config_, lookups);
}

}  // namespace numatch::sim
