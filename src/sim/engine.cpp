// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "sim/backoff.hpp"
#include "sim/offer.hpp"
#include "sim/thread_team.hpp"

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
  return workers <= 1 ? 1 : 8;
}

}  // namespace

struct engine::host {
  explicit host(unsigned workers, std::size_t most_items)
      : count(std::max(1U, workers)), team(count), taken(most_items) {}

  /// each(i) for i below n ≤ most_items, at the same time where there are several workers. Everyone
  /// begins with the same ones every time, whose data its processor has near, and goes on with what
  /// others have left.
  template <class Each>
  void parallel(std::size_t n, const Each& each) {
    for (std::size_t i = 0; i < n; ++i) taken[i].store(false, std::memory_order_relaxed);
    team.run([&](unsigned member) {
      const std::size_t first = member * n / count;
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = (first + k) % n;
        if (!taken[i].exchange(true, std::memory_order_relaxed)) each(i);
      }
    });
  }

  unsigned count;
  thread_team team;
  std::vector<std::atomic<bool>> taken;
};

engine::engine(const topology& machine, const machine_config& config, const program& traced,
               const run_options& options, unsigned workers)
    : config_(config),
      program_(traced),
      options_(options),
      host_(std::make_unique<host>(workers, config.pus())),
      pages_(config.nodes),
      homes_(config, pages_),
      threads_(traced.threads()),
      thread_starts_(config, options.threads, options.seed),
      page_starts_(config, options.pages, options.seed),
      world_({&machine, &config, options.seed, options.time_scale}, pages_, threads_,
             thread_starts_, page_starts_),
      fronts_(make_fronts(config)),
      shards_(make_shards(config, homes_, workers)),
      cache_work_(shards_, config.pus(), parts_for(workers), std::max(1U, workers)),
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
  host_->team.run([&](unsigned member) {
    if (!follows || member != 0) {
      cache_work_.do_all(member);
      return;
    }
    for (backoff until; !weave_.proceed();) {
      if (cache_work_.do_next(member) != cache_work::found::item) until.wait();
    }
  });
  if (!follows) weave_.proceed();
  for (const release_time& released : weave_.releases()) {
    order_.happened(released.object, released.stamp, released.when + 1);
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

}  // namespace numatch::sim
