// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "sim/backoff.hpp"
#include "sim/energy.hpp"
#include "sim/offer.hpp"

namespace numatch::sim {

namespace {

/// Shards for so many host threads: a power of two that divides every level's number of sets.
unsigned shards_for(const machine_config& config, unsigned workers) {
  if (workers <= 1) return 1;
  unsigned most = std::bit_ceil(2 * workers);
  for (const cache_config& cache : config.caches) {
    most = std::min(most, 1U << std::min(7, std::countr_zero(cache.sets(config.line_bytes))));
  }
  return most;
}

std::vector<cache_shard> make_shards(const machine_config& config, const line_homes& homes,
                                     unsigned workers) {
  const unsigned count = shards_for(config, workers);
  std::vector<cache_shard> made;
  for (unsigned s = 0; s < count; ++s) made.emplace_back(config, homes, count);
  return made;
}

/// The weave follows the caches part by part when there is somebody to do it meanwhile.
constexpr std::size_t parts_for(unsigned workers) {
  return workers <= 1 ? 1 : 16;
}

}  // namespace

struct engine::host {
  explicit host(unsigned workers)
      : count(workers),
        arena(std::min(static_cast<int>(workers), tbb::info::default_concurrency())) {}

  /// each(i) for i below n, at the same time where there are several workers.
  template <class Each>
  void parallel(std::size_t n, const Each& each) {
    if (count <= 1) {
      for (std::size_t i = 0; i < n; ++i) each(i);
      return;
    }
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, n, each); });
  }
  /// member(i) for every worker i: at the same time, or one after the other from 0 on where the
  /// host has something else to do.
  template <class Member>
  void crew(const Member& member) {
    if (count <= 1) {
      member(0U);
      return;
    }
    arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<unsigned>(0, count, 1),
          [&](const tbb::blocked_range<unsigned>& some) {
            for (unsigned i = some.begin(); i != some.end(); ++i) member(i);
          },
          tbb::simple_partitioner());
    });
  }

  unsigned count;
  tbb::task_arena arena;
};

engine::engine(const topology& machine, const machine_config& config, const program& traced,
               const run_options& options, unsigned workers)
    : config_(config),
      program_(traced),
      options_(options),
      host_(std::make_unique<host>(workers)),
      pages_(config.nodes),
      homes_(config, pages_),
      threads_(traced.threads()),
      thread_starts_(config, options.threads, options.seed),
      page_starts_(config, options.pages, options.seed),
      world_({&machine, &config, options.seed, options.time_scale}, pages_, threads_,
             thread_starts_, page_starts_),
      fronts_(make_fronts(config)),
      shards_(make_shards(config, homes_, workers)),
      cache_work_(shards_, config.pus(), parts_for(workers)),
      lanes_(config.pus() * lane_kinds),
      weave_(config, homes_),
      queue_(config.pus()),
      pu_clock_(config.pus()),
      last_on_pu_(config.pus(), lane::nobody),
      live_on_pu_(config.pus()),
      unplaced_(traced.threads()),
      hardware_busy_(config.pus()),
      touch_latency_(config.pus()),
      random_(options.seed * 0x9e3779b97f4a7c15U + 1) {
  if (config.memory.drawn_frames) pages_.draw_frames(options.seed);
  for (lane& l : lanes_) l.by_shard.resize(shards_.size());
  std::uint64_t lookups = 0;
  for (const cache_config& cache : config.caches) lookups += cache.latency;
  std::fill(touch_latency_.begin(), touch_latency_.end(), lookups << 8);
  view_.config = &config_;
  view_.pages = &pages_;
  view_.order = &order_;
  view_.shards = static_cast<unsigned>(shards_.size());
}

engine::~engine() = default;

result<void> engine::begin() {
  const result<std::vector<program::release>> releases = program_.releases();
  if (!releases) return tl::unexpected(releases.error());
  order_ = trace::release_order::make(*releases);
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    result<std::unique_ptr<program_thread>> stream = program_.start(thread_id(t));
    if (!stream) return tl::unexpected(stream.error());
    threads_[t].stream = std::move(*stream);
  }
  counting_ = !options_.region_of_interest || !program_.has_region_of_interest();
  begin_background_lanes(0);
  result_.mechanism = options_.name;
  if (options_.mechanism == nullptr) return {};
  const mechanism_entry& entry = *options_.mechanism;
  if (result<void> fit = check_fit(entry, simulation_offer()); !fit) return fit;
  if (result<void> fit = check_threads(entry, threads_.size()); !fit) return fit;
  const result<parameter_set> values = parameter_set::make(entry.parameters, options_.parameters);
  if (!values) return tl::unexpected(values.error());
  result<std::unique_ptr<mechanism>> made = entry.make(*values);
  if (!made) return tl::unexpected(made.error());
  mechanism_ = std::move(*made);
  if (options_.name.empty()) result_.mechanism = entry.name;
  result_.parameters = values->values();
  sensors_ = mechanism_->sensors();
  for (const event_kind needed : entry.needs) {
    wants_misses_ = wants_misses_ || needed == event_kind::tlb_miss;
    wants_evictions_ = wants_evictions_ || needed == event_kind::tlb_evict;
    wants_faults_ = wants_faults_ || needed == event_kind::page_fault;
    view_.wants_accesses = view_.wants_accesses || needed == event_kind::access;
  }
  view_.wants_tlb_notices = wants_misses_ || wants_evictions_;
  if (wants_evictions_) {
    view_.counter_max = sensors_.counter_max;
    view_.reset_on_saturation = sensors_.reset_on_saturation;
  }
  weave_.keep_answers = sensors_.sample_period != 0;
  call_software(software::timer, 0, 0, [&] { mechanism_->on_begin(world_); });
  return {};
}

result<run_result> engine::run(const std::function<void(std::uint64_t)>& simulated,
                               const std::atomic<bool>& stop) {
  if (result<void> begun = begin(); !begun) return tl::unexpected(begun.error());
  std::uint64_t reported = 0;
  while (ended_ < threads_.size()) {
    if (stop.load(std::memory_order_relaxed)) return fail("", "interrupted");
    start_threads();
    wake_blocked();
    schedule();
    if (!choose_phase()) {
      if (ended_ == threads_.size()) break;
      return fail(
          "", fmt::format("{} threads wait for releases that never come", threads_.size() - ended_),
          "see numatch trace check");
    }
    run_fronts();
    for (const sim_thread& t : threads_) {
      if (t.problem) return tl::unexpected(*t.problem);
    }
    bring_in_order();
    choose_lanes();
    run_caches_and_weave();
    account();
    end_phase();
    std::uint64_t done = 0;
    for (const sim_thread& t : threads_) done += t.accesses;
    simulated(done - reported);
    reported = done;
  }
  finish_result();
  return std::move(result_);
}

bool engine::choose_phase() {
  std::optional<std::uint64_t> first;
  for (std::size_t pu = 0; pu < config_.pus(); ++pu) {
    if (lanes_[pu].thread == lane::nobody) continue;
    first = std::min(first.value_or(lanes_[pu].start), lanes_[pu].start);
  }
  if (!first) return false;
  phase_begin_ = std::max(phase_end_, *first);
  phase_end_ = phase_begin_ + options_.phase_cycles;
  return true;
}

void engine::run_fronts() {
  view_.begin = phase_begin_;
  view_.until = phase_end_;
  view_.simulates = counting_;
  view_.replicas = replicated_now_ > 0;
  host_->parallel(fronts_.size(), [&](std::size_t i) { fronts_[i].run(view_, lanes_, threads_); });
}

void engine::choose_lanes() {
  weave_lanes_.clear();
  weave_background_.clear();
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    const bool program_lane = i < config_.pus();
    if (program_lane ? lanes_[i].thread == lane::nobody : lanes_[i].references.empty()) continue;
    weave_lanes_.push_back(&lanes_[i]);
  }
  const auto is_program = [&](const lane* l) {
    return static_cast<std::size_t>(l - lanes_.data()) < config_.pus();
  };
  // At the same cycle the thread with the lower number comes first, and the program before the
  // mechanism.
  std::stable_sort(weave_lanes_.begin(), weave_lanes_.end(), [&](const lane* a, const lane* b) {
    if (is_program(a) != is_program(b)) return is_program(a);
    return is_program(a) && a->thread < b->thread;
  });
  for (const lane* const l : weave_lanes_) {
    const std::size_t number = static_cast<std::size_t>(l - lanes_.data());
    weave_background_.push_back(number >= config_.pus());
  }
}

void engine::run_caches_and_weave() {
  cache_work_.begin(lanes_, weave_lanes_, options_.phase_cycles);
  weave_.begin(weave_lanes_, weave_background_, shards_);
  // Samples are taken in an order that following at a distance would change.
  const bool follows = host_->count > 1 && !weave_.keep_answers;
  host_->crew([&](unsigned member) {
    if (!follows || member != 0) {
      while (cache_work_.do_next()) continue;
      return;
    }
    for (backoff until; !weave_.proceed();) {
      if (!cache_work_.do_next()) until.wait();
    }
  });
  if (!follows) weave_.proceed();
  for (const release_time& released : weave_.releases()) {
    order_.happened(released.object, released.stamp, released.when + 1);
  }
}

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

void engine::end_phase() {
  if (weave_.keep_answers) take_samples();
  begin_background_lanes(phase_end_);
  if (mechanism_ != nullptr) {
    for (const memory_sample_event& sample : samples_) {
      const std::uint32_t pu = threads_[sample.thread.index()].pu;
      call_software(software::handler, pu, phase_end_,
                    [&] { mechanism_->on_memory_sample(sample, world_); });
    }
    send_wake_ups();
    carry_out_requests();
    carry_out_faults();
  }
  add_timeline(false);
}

/// Those that were asked for before this phase ended; what they ask for themselves comes a phase
/// later.
void engine::send_wake_ups() {
  std::vector<instant> due;
  while (!wake_ups_.empty() && world_.cycles_of(*wake_ups_.begin()) <= phase_end_) {
    due.push_back(*wake_ups_.begin());
    wake_ups_.erase(wake_ups_.begin());
  }
  for (const instant when : due) {
    world_.not_before(when);
    call_software(software::timer, software_pu(), phase_end_,
                  [&] { mechanism_->on_wake_up(world_); });
  }
}

void engine::begin_background_lanes(std::uint64_t clock) {
  for (std::size_t i = config_.pus(); i < lanes_.size(); ++i) {
    lanes_[i].begin(static_cast<std::uint32_t>(i), clock);
  }
}

/// Software runs where the program runs, in turn.
std::uint32_t engine::software_pu() {
  const std::size_t pus = config_.pus();
  for (std::size_t tried = 0; tried < pus; ++tried) {
    const std::uint32_t pu = next_software_pu_++ % static_cast<std::uint32_t>(pus);
    if (!queue_[pu].empty()) return pu;
  }
  return 0;
}

void engine::call_software(software how, std::uint32_t pu, std::uint64_t cycle,
                           const std::function<void()>& call) {
  const std::size_t number = static_cast<std::size_t>(how) * config_.pus() + pu;
  world_.pu = pu;
  world_.at(cycle, lanes_[number], view_.shards);
  call();
  if (how == software::timer) {
    spend_timer_cycles(pu, world_.spent);
  } else {
    result_.software_cycles += world_.spent;
    charge(pu, world_.spent);
  }
  world_.spent = 0;
  wake_ups_.insert(world_.wake_ups.begin(), world_.wake_ups.end());
  world_.wake_ups.clear();
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
  r.pages = known_pages_.size();
  r.table_accesses = world_.table_accesses;
  add_energy(r, config_, lookups);
}

}  // namespace numatch::sim
