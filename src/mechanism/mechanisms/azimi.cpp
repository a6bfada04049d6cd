// SPDX-License-Identifier: Apache-2.0
// Thread mapping from sampled remote cache accesses: Azimi, Tam, Soares, Stumm, "Enhancing
// Operating System Support for Multicore Processors by Using Hardware Performance Monitoring", ACM
// SIGOPS OSR 43(2), 2009, with the thread clustering of Tam, Azimi, Stumm (EuroSys 2007).
// docs/compared-systems.md tells what had to be decided.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/pu_loads.hpp"
#include "mechanism/share_maps.hpp"
#include "mechanism/thread_remapper.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::memory_sample};
constexpr std::array acts{action_kind::move_threads, action_kind::wake_up};
constexpr std::array<std::string_view, 1> tables{"share maps"};

constexpr std::array parameters{
    parameter{"sample-period", "10", "misses",
              "one of so many accesses that miss the private caches is a sample",
              "our assumption, after Tam et al. 2007: one of ten remote accesses"},
    parameter{"region", "64", "bytes",
              "size of the pieces of memory in which threads meet, a power of two from 64 to 2 MiB",
              "our assumption, after Tam et al. 2007: a cache line"},
    parameter{"entries", "256", "entries", "length of a thread's share map",
              "our assumption, after Tam et al. 2007"},
    parameter{"leave-out-global", "yes", "",
              "regions that more than half of the threads use do not count",
              "our assumption, after Tam et al. 2007"},
    parameter{"similarity", "40000", "",
              "threads are put together when their share maps' product is at least this, for a "
              "million samples; it falls with the square of their number",
              "our assumption, after Tam et al. 2007"},
    parameter{"least-samples", "10000", "samples",
              "threads are not mapped before so many remote cache accesses were sampled",
              "our assumption; Tam et al. 2007 wait for more than a simulated run has"},
    parameter{"interval", "100", "ms", "time between two looks at the samples",
              "our assumption: not said in LAPT"},
    parameter{"ageing", "0", "", "share maps are multiplied by this after a thread mapping",
              "our assumption, after Tam et al. 2007: each phase of detection begins anew"},
    parameter{"mapper", "clusters", "",
              "clusters, or an algorithm of numatch map on the similarities",
              "our assumption, after Tam et al. 2007"},
    acts_on_threads_parameter,
};

/// For which the published similarity holds.
constexpr double published_samples = 1e6;

struct options {
  std::uint64_t sample_period = 0;
  unsigned region_shift = 6;
  std::size_t entries = 0;
  bool leave_out_global = true;
  double similarity = 0;
  std::uint64_t least_samples = 0;
  std::uint64_t interval = 0;  // nanoseconds
  double ageing = 0;
  bool moves = true;
};

class azimi_mechanism : public mechanism {
 public:
  /// Without a remapper threads are clustered.
  azimi_mechanism(const options& chosen, std::optional<thread_remapper> remapper)
      : options_(chosen), maps_(chosen.entries), remapper_(std::move(remapper)) {}

  sensor_plan sensors() const override {
    sensor_plan plan;
    plan.sample_period = options_.sample_period;
    return plan;
  }

  void on_memory_sample(const memory_sample_event& sample, world& where) override {
    if (sample.source != data_source::remote_cache) return;
    where.spend(software_work::take_samples, 1);
    ++samples_;
    const std::optional<std::size_t> entry =
        maps_.count(sample.thread, sample.address >> options_.region_shift);
    if (entry) {
      where.touch({0, sample.thread.value * std::uint64_t{maps_.entries()} + *entry, 1, true});
    }
  }

  void on_thread_start(thread_id thread, world& where) override {
    maps_.note_thread(thread);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!looking_.is_set()) looking_.set(where.now(), options_.interval);
    alarm_.sleep_until(looking_.next(), where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    if (samples_ >= options_.least_samples) map_threads(where);
    looking_.set(where.now(), options_.interval);
    alarm_.sleep_until(looking_.next(), where);
  }

  /// Of all phases of detection.
  sharing_matrix sharing() const override {
    sharing_matrix all = similarities(maps_, options_.leave_out_global);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      for (std::size_t j = 0; j < found_.size(); ++j) all.add(i, j, found_.at(i, j));
    }
    return all;
  }

 private:
  void map_threads(world& where) {
    for (std::uint64_t t = 0; t < maps_.threads(); ++t) {
      where.touch({0, t * maps_.entries(), static_cast<std::uint32_t>(maps_.entries()), false});
    }
    const sharing_matrix similar = similarities(maps_, options_.leave_out_global);
    if (options_.moves) {
      if (remapper_) {
        remapper_->remap(similar, where);
      } else {
        map_clusters(similar, where);
      }
    }
    found_ = sharing();
    maps_.age(options_.ageing);
    samples_ = 0;
  }

  void map_clusters(const sharing_matrix& similar, world& where) const {
    if (similar.total() == 0) return;
    const topology& machine = *where.machine();
    const std::vector<std::optional<pu_id>> present = places_of(similar.size(), where);
    const std::vector<std::uint32_t> cluster_of = azimi::clusters(similar, threshold());
    where.spend(software_work::map_threads, similar.size());
    if (!anybody_together(cluster_of)) return;
    const std::vector<std::optional<pu_id>> wanted =
        azimi::pus_for(azimi::nodes_for(cluster_of, present, machine), present, machine);
    if (wanted != present) where.move_threads(with_any_place(wanted, machine));
  }

  /// Products of counts grow with the square of the samples.
  double threshold() const {
    const double part = static_cast<double>(samples_) / published_samples;
    return std::max(1.0, options_.similarity * part * part);
  }

  /// Clusters of one thread each say nothing about where threads belong.
  static bool anybody_together(const std::vector<std::uint32_t>& cluster_of) {
    for (std::size_t t = 0; t < cluster_of.size(); ++t) {
      if (cluster_of[t] < t) return true;
    }
    return false;
  }

  options options_;
  azimi::share_maps maps_;
  std::optional<thread_remapper> remapper_;
  sharing_matrix found_;  ///< of the finished phases
  std::uint64_t samples_ = 0;
  alarm_clock alarm_;
  timer looking_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.sample_period = read.whole("sample-period", 1, 1'000'000'000);
  const std::uint64_t region = read.whole("region", 64, std::uint64_t{2} << 20);
  chosen.entries = read.whole("entries", 1, 1 << 20);
  chosen.leave_out_global = read.flag("leave-out-global");
  chosen.similarity = read.real("similarity", 0, 1e12);
  chosen.least_samples = read.whole("least-samples", 1, 1'000'000'000);
  chosen.interval = milliseconds(read, "interval");
  chosen.ageing = read.real("ageing", 0, 1);
  chosen.moves = read.word("act-on", acts_on_threads_words) == "threads";
  if (read.problem()) return tl::unexpected(*read.problem());
  if (!std::has_single_bit(region)) {
    return fail("parameter region", fmt::format("{} is not a power of two", region));
  }
  chosen.region_shift = static_cast<unsigned>(std::countr_zero(region));
  const std::string& mapper = values.values().at("mapper");
  if (mapper == "clusters") return std::make_unique<azimi_mechanism>(chosen, std::nullopt);
  result<thread_remapper> remapper = thread_remapper::make(mapper, {});
  if (!remapper) return tl::unexpected(remapper.error());
  return std::make_unique<azimi_mechanism>(chosen, std::move(*remapper));
}

}  // namespace

extern const mechanism_entry azimi_entry{
    .name = "azimi",
    .summary = "thread clusters from sampled accesses that remote caches answered",
    .source = "Azimi et al., SIGOPS OSR 2009, with Tam et al., EuroSys 2007; set up after LAPT V-D",
    .matrix_unit = "products of samples",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
