// SPDX-License-Identifier: Apache-2.0
// Our own mechanism: samples of the accesses that wait, places that the program itself has proven.
// docs/mechanisms.md tells what it does and why.
#include <algorithm>
#include <array>
#include <vector>

#include "mechanism/forecast.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/page_counters.hpp"
#include "mechanism/page_worth.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/sample_budget.hpp"
#include "mechanism/sampled_pages.hpp"
#include "mechanism/thread_remapper.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::memory_sample};
constexpr std::array acts{action_kind::move_threads, action_kind::move_pages, action_kind::wake_up};
constexpr std::array<std::string_view, 1> tables{"samples per page"};
constexpr std::uint32_t row_bytes = 64;
/// Moving this share of the pages in use, or less, changes little.
constexpr double few = 0.02;

constexpr std::string_view ours = "docs/mechanisms.md";
constexpr std::array parameters{
    parameter{"sample-period", "50", "misses",
              "one of so many accesses that miss the private caches is a sample", ours},
    parameter{"cache-period", "10", "times",
              "samples that the chip's own cache answered are read so many times more rarely: they "
              "tell who shares, and cost nothing to save",
              ours},
    parameter{"budget", "2", "%",
              "of the program's cycles may go into reading samples; above it fewer are read", ours},
    parameter{"sample-cost", "400", "cycles",
              "what reading a sample and counting it takes, for the budget", ours},
    parameter{"mapping-interval", "100", "ms", "time between two looks at who shares", ours},
    parameter{"interval", "20", "ms", "time between two decisions, at first and after any", ours},
    parameter{"longest-interval", "40", "ms",
              "the interval doubles up to this while there is nothing to do", ours},
    parameter{"least-stall", "2", "%",
              "nothing is done while the program waits less than this for what samples show", ours},
    parameter{"page-cost", "12000", "cycles", "what a page's move costs with its copy", ours},
    parameter{"horizon", "500", "ms",
              "how long a page's move is expected to pay, at most as long as the program has run",
              ours},
    parameter{"ageing", "0.9", "",
              "after every look at who shares, and every decision about pages, what was counted "
              "before is multiplied by this",
              ours},
    mapper_parameter("numatch", ours),
    parameter{"remap-gain", "0.1", "",
              "threads move only if the mapping's cost falls by this share", ours},
    parameter{"move-price", "0.05", "",
              "... and by this share of what a thread pays on average for each thread that moves",
              ours},
    fewest_moves_parameter,
    acts_on_parameter,
};

struct options {
  std::uint64_t sample_period = 0;
  std::uint64_t cache_period = 1;  // sample periods
  double budget = 0;               // share
  double sample_cost = 0;
  std::uint64_t mapping_interval = 0;  // nanoseconds
  std::uint64_t interval = 0;          // nanoseconds
  std::uint64_t longest_interval = 0;  // nanoseconds
  double least_stall = 0;              // share
  double page_cost = 0;
  std::uint64_t horizon = 0;  // nanoseconds
  double ageing = 1;
  acts_on moves;
};

/// A mean that forgets.
struct mean {
  double sum = 0;
  double count = 0;
  void add(double value) {
    sum += value;
    count += 1;
  }
  void age(double factor) {
    sum *= factor;
    count *= factor;
  }
  double value_or(double other) const { return count >= 1 ? sum / count : other; }
};

class numatch_mechanism : public mechanism {
 public:
  numatch_mechanism(const options& chosen, thread_remapper remapper)
      : options_(chosen),
        interval_(chosen.interval),
        budget_(chosen.budget, chosen.sample_cost),
        remapper_(std::move(remapper)) {}

  sensor_plan sensors() const override {
    sensor_plan plan;
    plan.sample_period = options_.sample_period;
    return plan;
  }

  void on_begin(world& where) override {
    if (where.machine() != nullptr) by_node_.resize(where.machine()->node_count());
  }

  void on_memory_sample(const memory_sample_event& sample, world& where) override {
    note_thread(sample.thread);
    thread_state& thread = threads_[sample.thread.index()];
    const bool near = sample.source == data_source::shared_cache;
    std::uint64_t& passed = thread.passed[near ? 1 : 0];
    if (++passed < budget_.thinning() * (near ? options_.cache_period : 1)) return;
    passed = 0;
    where.spend(software_work::take_samples, 1);
    budget_.note_read();
    const page_number page = page_of(sample.address, where);
    where.touch({0, page.value * row_bytes, row_bytes, true});
    const float weight = near ? static_cast<float>(options_.cache_period) : 1;
    if (!near) {
      const double latency = static_cast<double>(sample.latency);
      const double stands_for = static_cast<double>(options_.sample_period * budget_.thinning());
      stalled_ += latency * stands_for;
      stands_for_.add(stands_for);
      if (sample.source == data_source::local_memory) local_.add(latency);
      if (sample.source == data_source::remote_memory) remote_.add(latency);
      if (where.machine() != nullptr) try_forecast(sample, page, where);
    }
    pages_.add(page, sample.thread, {.near = near, .weight = weight});
  }

  void on_thread_start(thread_id thread, world& where) override {
    note_thread(thread);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!deciding_.is_set()) {
      begin_ = decided_ = where.now();
      deciding_.set(begin_, interval_);
      mapping_.set(begin_, options_.mapping_interval);
    }
    alarm_.sleep_until(deciding_.next(), where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    if (deciding_.due(where.now())) {
      decide(where);
      deciding_.set(where.now(), interval_);
    }
    alarm_.sleep_until(deciding_.next(), where);
  }

  void on_outcome(const outcome_event& outcome, world&) override {
    pending_.finish(outcome.request);
  }

  sharing_matrix sharing() const override {
    return shared_in([](const sampled_page::use& use) { return use.shared + use.shared_lately; });
  }

 private:
  struct thread_state {
    std::array<std::uint64_t, 2> passed{};  ///< samples since the last one that was read
    std::uint64_t cycles = 0;               ///< that it had run at the last decision
    double lately = 0;                      ///< that it runs, aged
  };

  void note_thread(thread_id thread) {
    if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
  }

  /// What the page's samples said before this one, against what it says.
  void try_forecast(const memory_sample_event& sample, page_number page, const world& where) {
    const sampled_page* const known = pages_.find(page);
    const std::optional<node_id> present = where.node_of(page);
    const std::optional<node_id> user = node_of_event({}, sample.thread, where);
    if (known == nullptr || sample.thread.index() >= sites_.size() || !present || !user) return;
    forecast_.note(lead_of(*known, sites_, *present, by_node_), *present, *user,
                   sites_[sample.thread.index()].weight);
  }

  /// A pair shares of a page what both have of its samples, counted by `count`.
  template <class Count>
  sharing_matrix shared_in(const Count& count) const {
    sharing_matrix matrix(threads_.size());
    pages_.for_each([&](const sampled_page& page) {
      for (std::size_t a = 0; a < page.uses.size(); ++a) {
        for (std::size_t b = a + 1; b < page.uses.size(); ++b) {
          const sampled_page::use& one = page.uses[a];
          const sampled_page::use& other = page.uses[b];
          const double shared = std::min(count(one), count(other));
          matrix.add(one.thread, other.thread, shared);
          matrix.add(other.thread, one.thread, shared);
        }
      }
    });
    return matrix;
  }

  void decide(world& where) {
    const double cycles = cycles_since_last(where);
    const bool worth_it = cycles > 0 && stalled_ > options_.least_stall * cycles;
    bool acted = false;
    if (worth_it && options_.moves.threads && mapping_.due(where.now())) {
      acted = remapper_.remap_proven(
          shared_in([](const sampled_page::use& use) { return use.shared; }),
          shared_in([](const sampled_page::use& use) { return use.shared_lately; }), where);
    }
    if (mapping_.due(where.now())) {
      pages_.fold_sharing(options_.ageing);
      mapping_.set(where.now(), options_.mapping_interval);
    }
    pages_.fold_places(options_.ageing);
    kept_ = kept_ * options_.ageing + since(decided_, where);
    decided_ = where.now();
    learn_sites(acted, where);
    if (worth_it && options_.moves.pages) acted = place_pages(where) || acted;
    budget_.end_interval(cycles, acted);
    interval_ = acted ? options_.interval : std::min(2 * interval_, options_.longest_interval);
    stands_for_.age(options_.ageing);
    forecast_.age();
    local_.age(options_.ageing);
    remote_.age(options_.ageing);
    stalled_ = 0;
  }

  double cycles_since_last(const world& where) {
    double cycles = 0;
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      const std::optional<thread_progress> progress = where.progress_of(thread_id(t));
      if (!progress) continue;
      const double ran = static_cast<double>(progress->cycles - threads_[t].cycles);
      cycles += ran;
      threads_[t].cycles = progress->cycles;
      threads_[t].lately = threads_[t].lately * options_.ageing + ran;
    }
    return cycles;
  }

  /// A thread that runs longer than others is waited for: what it waits for counts more.
  void learn_sites(bool moved, const world& where) {
    sites_.resize(threads_.size());
    double longest = 0;
    for (const thread_state& thread : threads_) longest = std::max(longest, thread.lately);
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      // A thread that was told to move may not have arrived.
      const std::optional<pu_id> sent = moved ? remapper_.sent(thread_id(t)) : std::nullopt;
      sites_[t].node = node_of_event(sent, thread_id(t), where);
      sites_[t].weight = longest > 0 ? threads_[t].lately / longest : 1;
    }
  }

  /// True when more than a few moved.
  bool place_pages(world& where) {
    const std::vector<page_number> used = pages_.take_used();
    where.spend(software_work::scan_pages, used.size());
    const page_prices prices = prices_now(where);
    std::size_t placed = 0;
    for (const page_number page : used) {
      where.touch({0, page.value * row_bytes, row_bytes, false});
      if (!pending_.contains(page) && place(page, prices, where)) ++placed;
    }
    return static_cast<double>(placed) > few * static_cast<double>(used.size());
  }

  page_prices prices_now(const world& where) const {
    const double far = remote_.value_or(0);
    return {.saved = std::max(0.0, far - local_.value_or(far / 2)),
            .uses = stands_for_.value_or(0) * ahead(where.now()) / std::max(kept_, 1.0),
            .cost = options_.page_cost};
  }

  static double since(instant then, const world& where) {
    return static_cast<double>(where.now().nanoseconds - then.nanoseconds);
  }

  /// Nanoseconds for which the program is expected to go on as it does: as long as it has run.
  double ahead(instant now) const {
    return static_cast<double>(
        std::clamp(now.nanoseconds - begin_.nanoseconds, options_.interval, options_.horizon));
  }

  bool place(page_number page, const page_prices& prices, world& where) {
    const std::optional<node_id> present = where.node_of(page);
    const sampled_page* const row = pages_.find(page);
    if (!present || row == nullptr) return false;
    const node_lead lead = lead_of(*row, sites_, *present, by_node_);
    if (gain_of_moving(lead, *present, forecast_.advantage(lead), prices) <= 0) return false;
    pending_.add(where.move_page(page, lead.best), page);
    return true;
  }

  options options_;
  std::uint64_t interval_;  ///< nanoseconds
  sample_budget budget_;
  double stalled_ = 0;  ///< cycles since the last decision
  mean local_;          ///< cycles of an access to memory
  mean remote_;
  mean stands_for_;  ///< misses, of a sample
  double kept_ = 0;  ///< nanoseconds that the aged samples of pages are of
  sampled_pages pages_;
  forecast forecast_;
  std::vector<thread_state> threads_;
  std::vector<thread_site> sites_;  ///< of threads, at the last decision
  std::vector<double> by_node_;
  pending_pages pending_;
  thread_remapper remapper_;
  timer deciding_;
  timer mapping_;
  instant begin_;
  instant decided_;  ///< last
  alarm_clock alarm_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.sample_period = read.whole("sample-period", 1, 1'000'000'000);
  chosen.cache_period = read.whole("cache-period", 1, 1'000'000);
  chosen.budget = read.real("budget", 0.001, 100) / 100;
  chosen.sample_cost = read.real("sample-cost", 0, 1e9);
  chosen.mapping_interval = milliseconds(read, "mapping-interval");
  chosen.interval = milliseconds(read, "interval");
  chosen.longest_interval = milliseconds(read, "longest-interval");
  chosen.least_stall = read.real("least-stall", 0, 100) / 100;
  chosen.page_cost = read.real("page-cost", 0, 1e12);
  chosen.horizon = milliseconds(read, "horizon");
  chosen.ageing = read.real("ageing", 0, 1);
  chosen.moves = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  if (chosen.longest_interval < chosen.interval) {
    return fail("parameter longest-interval", "is shorter than interval");
  }
  if (chosen.horizon < chosen.interval) {
    return fail("parameter horizon", "is shorter than interval");
  }
  result<thread_remapper> remapper = thread_remapper::make(values);
  if (!remapper) return tl::unexpected(remapper.error());
  return std::make_unique<numatch_mechanism>(chosen, std::move(*remapper));
}

}  // namespace

extern const mechanism_entry numatch_entry{
    .name = "numatch",
    .summary = "samples of accesses that wait; moves what the program's own past has proven",
    .source = ours,
    .matrix_unit = "samples",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
