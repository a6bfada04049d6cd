// SPDX-License-Identifier: Apache-2.0
// Page placement from long-latency loads: Marathe, Mueller, "Hardware Profile-guided Automatic Page
// Placement for ccNUMA Systems", PPoPP 2006, as LAPT (section V-D) and SAMMU (section 5.2) compare
// with it. docs/compared-systems.md tells what had to be decided.
#include <array>
#include <numeric>
#include <vector>

#include "mechanism/mechanism.hpp"
#include "mechanism/page_counters.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::memory_sample};
constexpr std::array acts{action_kind::move_pages, action_kind::wake_up};
constexpr std::array<std::string_view, 1> tables{"samples per page and node"};

constexpr std::array parameters{
    parameter{"sample-period", "100", "misses",
              "one of so many accesses that miss the private caches is a sample",
              "our assumption: not said in LAPT or SAMMU"},
    parameter{"latency", "32", "cycles", "loads that were answered faster than this are left out",
              "our assumption: below the memory and above the caches of simics-4x2"},
    parameter{"profile-time", "0", "ms",
              "how long loads are sampled from the first thread's start; 0: the whole run",
              "LAPT II: only the beginning of a run, of no said length"},
    parameter{"interval", "100", "ms", "time between two looks at the pages",
              "our assumption: not said in LAPT or SAMMU"},
    parameter{"least-samples", "1", "samples", "a page with fewer samples stays where it is",
              "our assumption: not said in LAPT or SAMMU"},
};

struct options {
  std::uint64_t sample_period = 0;
  std::uint64_t latency = 0;
  std::uint64_t profile_time = 0;  // nanoseconds; 0: no end
  std::uint64_t interval = 0;      // nanoseconds
  std::uint64_t least_samples = 1;
};

class marathe_mechanism : public mechanism {
 public:
  explicit marathe_mechanism(const options& chosen) : options_(chosen) {}

  sensor_plan sensors() const override {
    sensor_plan plan;
    plan.sample_period = options_.sample_period;
    return plan;
  }

  void on_memory_sample(const memory_sample_event& sample, world& where) override {
    if (is_over(where.now())) return;
    const bool from_memory =
        sample.source == data_source::local_memory || sample.source == data_source::remote_memory;
    if (sample.write || !from_memory || sample.latency < options_.latency) return;
    // The hardware passes over the others by itself.
    where.spend(software_work::take_samples, 1);
    const std::optional<node_id> node = node_of_event({}, sample.thread, where);
    if (!node) return;
    const page_number page = page_of(sample.address, where);
    const std::size_t nodes = where.machine()->node_count();
    ++samples_.of(page, nodes)[node->index()];
    where.touch({0, page.value * 4 * nodes + node->value * 4, 4, true});
  }

  void on_thread_start(thread_id, world& where) override {
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!looking_.is_set()) {
      begin_ = where.now();
      looking_.set(begin_, options_.interval);
    }
    sleep(where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    place_pages(where);
    looking_.set(where.now(), options_.interval);
    sleep(where);
  }

  /// A page whose move failed is a candidate again at the next look.
  void on_outcome(const outcome_event& outcome, world&) override {
    pending_.finish(outcome.request);
  }

  /// Nothing is learned about pairs of threads.
  sharing_matrix sharing() const override { return {}; }

 private:
  bool is_over(instant now) const {
    return options_.profile_time > 0 && looking_.is_set() &&
           now.nanoseconds - begin_.nanoseconds >= options_.profile_time;
  }

  void sleep(world& where) {
    if (!is_over(where.now())) alarm_.sleep_until(looking_.next(), where);
  }

  void place_pages(world& where) {
    const std::vector<page_number> pages = samples_.pages();
    for (const page_number page : pages) {
      if (!pending_.contains(page)) place(page, where);
    }
    where.spend(software_work::scan_pages, pages.size());
  }

  void place(page_number page, world& where) {
    const std::span<const std::uint32_t> counts = samples_.find(page);
    where.touch(
        {0, page.value * 4 * counts.size(), static_cast<std::uint32_t>(4 * counts.size()), false});
    if (std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) < options_.least_samples) {
      return;
    }
    const std::optional<node_id> present = where.node_of(page);
    if (!present) return;
    const std::optional<node_id> best = busiest_node(counts, *present);
    if (best && *best != *present) pending_.add(where.move_page(page, *best), page);
  }

  options options_;
  page_counters samples_;  ///< per node
  pending_pages pending_;
  alarm_clock alarm_;
  timer looking_;
  instant begin_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.sample_period = read.whole("sample-period", 1, 1'000'000'000);
  chosen.latency = read.whole("latency", 0, 1'000'000'000);
  chosen.profile_time = milliseconds_or_none(read, "profile-time");
  chosen.interval = milliseconds(read, "interval");
  chosen.least_samples = read.whole("least-samples", 1, 0xffffffff);
  if (read.problem()) return tl::unexpected(*read.problem());
  return std::make_unique<marathe_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry marathe_entry{
    .name = "marathe",
    .summary = "pages go to the node with most of their sampled long-latency loads",
    .source = "Marathe, Mueller, PPoPP 2006; set up after LAPT V-D and SAMMU 5.2",
    .matrix_unit = "",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
