// SPDX-License-Identifier: Apache-2.0
// Carrefour: Dashti et al., "Traffic Management: A Holistic Approach to Memory Placement on NUMA
// Systems", ASPLOS 2013, with the values of its published runtime and kernel module; SAMMU (section
// 5.1) speaks of it. docs/compared-systems.md tells what had to be decided.
#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "mechanism/carrefour_rules.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/page_counters.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::memory_sample};
constexpr std::array acts{action_kind::move_pages, action_kind::replicate_pages,
                          action_kind::wake_up};
constexpr std::array<std::string_view, 1> tables{"samples per page"};

constexpr std::array parameters{
    parameter{"sample-period", "500", "misses",
              "one of so many accesses that miss the private caches is a sample",
              "our assumption; Carrefour's module takes cycles: 131,056, twice as many when cheap"},
    parameter{"cheap-period", "2", "times",
              "the period is so many times longer in an interval after few decisions; 1: it never "
              "changes",
              "Carrefour's module"},
    parameter{"few-decisions", "10", "pages",
              "an interval that moved or replicated fewer is followed by a cheap one",
              "Carrefour's module"},
    parameter{"interval", "1000", "ms", "time between two decisions", "Carrefour's runtime"},
    parameter{"pages", "30000", "pages", "how many are counted in an interval, the first ones",
              "Carrefour's module; SAMMU 5.1"},
    parameter{"cheap-pages", "10000", "pages", "the same in a cheap interval",
              "Carrefour's module"},
    parameter{"count-caches", "yes", "", "samples that a cache answered count for their page, too",
              "Carrefour's module"},
    parameter{"intensity", "50", "accesses/us",
              "nothing is done below so many accesses to memory per microsecond, of all nodes "
              "together",
              "Carrefour's runtime"},
    parameter{"read-ratio", "95", "%", "pages are replicated at this share of reads or more",
              "Carrefour's runtime"},
    parameter{"imbalance", "35", "%",
              "pages are interleaved when the accesses to the nodes' memories deviate by more "
              "than this from their mean",
              "Carrefour's runtime"},
    parameter{"interleave-below", "100", "%", "... and the local share is below this",
              "Carrefour's runtime"},
    parameter{"migrate-below", "80", "%", "pages migrate when the local share is below this",
              "Carrefour's runtime"},
    parameter{"least-samples", "2", "samples",
              "a page with fewer samples does not migrate while interleaving is off",
              "Carrefour's module"},
    parameter{"least-replicas", "500", "pages",
              "replication begins in an interval in which so many pages ask for it",
              "Carrefour's module"},
    parameter{"replication", "yes", "", "pages may be replicated", "Carrefour, ASPLOS 2013"},
    parameter{"interleaving", "yes", "", "pages may be interleaved", "Carrefour, ASPLOS 2013"},
    parameter{"migration", "yes", "", "pages may migrate", "Carrefour, ASPLOS 2013"},
};

struct options {
  std::uint64_t sample_period = 0;
  std::uint64_t cheap_period = 1;  // sample periods
  std::uint64_t few_decisions = 0;
  std::uint64_t interval = 0;  // nanoseconds
  std::size_t pages = 0;
  std::size_t cheap_pages = 0;
  bool count_caches = true;
  std::uint64_t least_samples = 0;
  std::size_t least_replicas = 0;
  carrefour::thresholds limits;
  carrefour::techniques allowed;
};

bool from_memory(data_source source) {
  return source == data_source::local_memory || source == data_source::remote_memory;
}

/// What is counted of all pages together in an interval.
struct interval_counts {
  std::uint64_t samples = 0;
  std::uint64_t writes = 0;
  std::uint64_t memory_samples = 0;
  std::uint64_t local_samples = 0;
  std::vector<std::uint64_t> accesses_of_node;  ///< samples that this node's memory answered
};

class carrefour_mechanism : public mechanism {
 public:
  explicit carrefour_mechanism(const options& chosen) : options_(chosen) {}

  sensor_plan sensors() const override {
    sensor_plan plan;
    plan.sample_period = options_.sample_period;
    return plan;
  }

  void on_begin(world& where) override {
    draws_.seed(where.seed());
    if (where.machine() != nullptr) counts_.accesses_of_node.resize(where.machine()->node_count());
  }

  void on_memory_sample(const memory_sample_event& sample, world& where) override {
    const std::optional<node_id> node = node_of_event({}, sample.thread, where);
    if (!node || left_out(sample.thread)) return;
    where.spend(software_work::take_samples, 1);
    const page_number page = page_of(sample.address, where);
    count_globally(sample, page, where);
    if (sample.write || sample.source == data_source::remote_memory) replicated_.erase(page);
    if (options_.count_caches || from_memory(sample.source)) {
      count_page(page, *node, sample.write, where);
    }
  }

  void on_thread_start(thread_id, world& where) override {
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!deciding_.is_set()) start_interval(where.now());
    alarm_.sleep_until(deciding_.next(), where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    const carrefour::techniques on =
        carrefour::decide(measured(where.now()), options_.limits, options_.allowed);
    decisions_ = 0;
    if (on.any()) place_pages(on, where);
    cheap_ = options_.cheap_period > 1 && decisions_ < options_.few_decisions;
    forget_interval();
    start_interval(where.now());
    alarm_.sleep_until(deciding_.next(), where);
  }

  void on_outcome(const outcome_event& outcome, world&) override {
    const std::optional<page_number> page = pending_.finish(outcome.request);
    if (page && outcome.done && outcome.action == action_kind::replicate_pages) {
      replicated_.insert(*page);
    }
  }

  /// Nothing is learned about pairs of threads.
  sharing_matrix sharing() const override { return {}; }

 private:
  /// In a cheap interval most of a thread's samples are not taken.
  bool left_out(thread_id thread) {
    if (!cheap_) return false;
    if (thread.index() >= passed_.size()) passed_.resize(thread.index() + 1);
    std::uint64_t& passed = passed_[thread.index()];
    passed = (passed + 1) % options_.cheap_period;
    return passed != 0;
  }

  std::uint64_t sample_stands_for() const {
    return options_.sample_period * (cheap_ ? options_.cheap_period : 1);
  }

  void count_globally(const memory_sample_event& sample, page_number page, const world& where) {
    ++counts_.samples;
    if (sample.write) ++counts_.writes;
    if (!from_memory(sample.source)) return;
    ++counts_.memory_samples;
    if (sample.source == data_source::local_memory) ++counts_.local_samples;
    const std::optional<node_id> home = where.node_of(page);
    if (home) ++counts_.accesses_of_node[home->index()];
  }

  /// A row has a counter per node and one for writes.
  void count_page(page_number page, node_id node, bool write, world& where) {
    const std::size_t most = cheap_ ? options_.cheap_pages : options_.pages;
    if (samples_.size() >= most && samples_.find(page).empty()) return;
    const std::size_t columns = where.machine()->node_count() + 1;
    const std::span<std::uint32_t> row = samples_.of(page, columns);
    ++row[node.index()];
    if (write) ++row[columns - 1];
    touch_row(page, columns, true, where);
  }

  static void touch_row(page_number page, std::size_t columns, bool write, world& where) {
    where.touch({0, page.value * 4 * columns, static_cast<std::uint32_t>(4 * columns), write});
  }

  carrefour::metrics measured(instant now) const {
    carrefour::metrics seen;
    const double microseconds = static_cast<double>(now.nanoseconds - begin_.nanoseconds) / 1000;
    const double memory = static_cast<double>(counts_.memory_samples);
    if (microseconds > 0) {
      seen.accesses_per_microsecond =
          memory * static_cast<double>(sample_stands_for()) / microseconds;
    }
    if (memory > 0) seen.local_share = static_cast<double>(counts_.local_samples) / memory;
    if (counts_.samples > 0) {
      seen.read_share =
          1 - static_cast<double>(counts_.writes) / static_cast<double>(counts_.samples);
    }
    seen.imbalance = carrefour::imbalance_of(counts_.accesses_of_node);
    return seen;
  }

  void place_pages(const carrefour::techniques& on, world& where) {
    const std::vector<page_number> pages = samples_.pages();
    std::vector<page_number> to_replicate;
    for (const page_number page : pages) {
      touch_row(page, samples_.find(page).size(), false, where);
      if (place(page, on, where)) to_replicate.push_back(page);
    }
    where.spend(software_work::scan_pages, pages.size());
    if (!replicating_ && to_replicate.size() < options_.least_replicas) return;
    replicating_ = replicating_ || !to_replicate.empty();
    for (const page_number page : to_replicate) pending_.add(where.replicate_page(page), page);
    decisions_ += to_replicate.size();
  }

  /// True when the page should be replicated.
  bool place(page_number page, const carrefour::techniques& on, world& where) {
    if (pending_.contains(page) || replicated_.contains(page)) return false;
    const std::span<const std::uint32_t> row = samples_.find(page);
    const std::span<const std::uint32_t> users = row.first(row.size() - 1);
    const std::optional<node_id> present = where.node_of(page);
    if (!present) return false;
    std::optional<node_id> target;
    switch (carrefour::fate_of(users, row.back(), on, options_.least_samples)) {
      case carrefour::page_fate::stay:
        break;
      case carrefour::page_fate::replicate:
        return true;
      case carrefour::page_fate::interleave: {
        const double leaving = draw();
        target = carrefour::interleaved_to(counts_.accesses_of_node, *present, leaving, draw());
        break;
      }
      case carrefour::page_fate::migrate:
        target = busiest_node(users, *present);
        break;
    }
    if (target && *target != *present) {
      pending_.add(where.move_page(page, *target), page);
      ++decisions_;
    }
    return false;
  }

  /// In [0, 1), of 53 bits.
  double draw() { return static_cast<double>(draws_() >> 11) * 0x1p-53; }

  void start_interval(instant now) {
    begin_ = now;
    deciding_.set(now, options_.interval);
  }

  void forget_interval() {
    samples_.clear();
    std::vector<std::uint64_t> nodes(counts_.accesses_of_node.size());
    counts_ = {};
    counts_.accesses_of_node = std::move(nodes);
  }

  options options_;
  page_counters samples_;
  interval_counts counts_;
  pending_pages pending_;
  std::set<page_number> replicated_;   ///< that have not been seen collapsed
  bool replicating_ = false;           ///< replication has begun
  std::uint64_t decisions_ = 0;        ///< of the last interval
  bool cheap_ = false;                 ///< the interval is one with the longer period
  std::vector<std::uint64_t> passed_;  ///< samples of each thread since the last one taken
  std::mt19937_64 draws_;
  alarm_clock alarm_;
  timer deciding_;
  instant begin_;  ///< of the interval
};

double percent(parameter_reader& read, std::string_view name, double high = 100) {
  return read.real(name, 0, high) / 100;
}

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.sample_period = read.whole("sample-period", 1, 1'000'000'000);
  chosen.cheap_period = read.whole("cheap-period", 1, 1'000'000);
  chosen.few_decisions = read.whole("few-decisions", 0, 0xffffffff);
  chosen.interval = milliseconds(read, "interval");
  chosen.cheap_pages = read.whole("cheap-pages", 1, 0xffffffff);
  chosen.pages = read.whole("pages", 1, 0xffffffff);
  chosen.count_caches = read.flag("count-caches");
  chosen.limits.intensity = read.real("intensity", 0, 1e9);
  chosen.limits.replication_reads = percent(read, "read-ratio");
  chosen.limits.interleaving_imbalance = percent(read, "imbalance", 1e6);
  chosen.limits.interleaving_local = percent(read, "interleave-below");
  chosen.limits.migration_local = percent(read, "migrate-below");
  chosen.least_samples = read.whole("least-samples", 1, 0xffffffff);
  chosen.least_replicas = read.whole("least-replicas", 1, 0xffffffff);
  chosen.allowed = {.replication = read.flag("replication"),
                    .interleaving = read.flag("interleaving"),
                    .migration = read.flag("migration")};
  if (read.problem()) return tl::unexpected(*read.problem());
  return std::make_unique<carrefour_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry carrefour_entry{
    .name = "carrefour",
    .summary = "samples decide which pages are replicated, interleaved or moved to their user",
    .source = "Dashti et al., ASPLOS 2013, with the values of its published runtime",
    .matrix_unit = "",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
