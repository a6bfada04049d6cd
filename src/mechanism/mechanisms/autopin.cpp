// SPDX-License-Identifier: Apache-2.0
// Autopin: Klug, Ott, Weidendorfer, Trinitis, "autopin - Automated Optimization of Thread-to-Core
// Pinning on Multicore Systems", HiPEAC 3(4), 2008, as LAPT (section V-D) and SAMMU (section 5.2)
// compare with it. docs/compared-systems.md tells what had to be decided.
#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <vector>

#include "mapping/mapper.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::thread_start, event_kind::thread_end};
constexpr std::array acts{action_kind::move_threads, action_kind::wake_up};

constexpr std::array parameters{
    parameter{"mappings", "5", "mappings", "how many are tried", "LAPT V-D"},
    parameter{"first", "random", "",
              "the first mapping: random, compact, scatter, or a list of PUs, one per thread, such "
              "as 0,4,1,5; the others are random",
              "LAPT V-D: the oracle's mapping"},
    parameter{"warm-up", "500", "ms", "time from the first thread's start to the first mapping",
              "LAPT V-D"},
    parameter{"trial", "150", "ms", "how long each mapping is measured", "LAPT V-D"},
    parameter{"seed", "0", "", "of the random mappings; 0: that of the run",
              "our assumption: not said in LAPT"},
    acts_on_threads_parameter,
};
constexpr std::array<std::string_view, 3> known_mappings{"random", "compact", "scatter"};

struct options {
  std::size_t mappings = 5;
  std::string first_algorithm;    ///< empty: first_list
  std::vector<pu_id> first_list;  ///< one PU per thread
  std::uint64_t warm_up = 0;      // nanoseconds
  std::uint64_t trial = 0;        // nanoseconds
  std::uint64_t seed = 0;
  bool moves = true;
};

/// Threads in turn on these PUs; never empty.
struct candidate {
  std::vector<pu_id> order;
  double ipc = -1;  ///< below 0: not measured
  bool failed = false;
};

class autopin_mechanism : public mechanism {
 public:
  explicit autopin_mechanism(const options& chosen) : options_(chosen) {}

  void on_thread_start(thread_id thread, world& where) override {
    alarm_.thread_started();
    const bool is_new = thread.index() >= threads_;
    threads_ = std::max(threads_, thread.index() + 1);
    if (where.machine() == nullptr || !options_.moves) return;
    if (!step_.is_set()) step_.set(where.now(), options_.warm_up);
    if (is_new && current_ < candidates_.size()) apply(current_, where);
    if (!chosen_) alarm_.sleep_until(step_.next(), where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    if (chosen_ || alarm_.live_threads() == 0 || !step_.due(where.now())) return;
    if (candidates_.empty()) {
      make_candidates(where);
    } else {
      measure(where);
      ++current_;
    }
    if (current_ < candidates_.size()) {
      apply(current_, where);
      begin_ = progress(where);
      step_.set(where.now(), options_.trial);
      alarm_.sleep_until(step_.next(), where);
    } else {
      choose(where);
    }
  }

  void on_outcome(const outcome_event& outcome, world& where) override {
    if (outcome.done || !request_ || outcome.request != *request_) return;
    candidates_[current_].failed = true;
    if (chosen_) choose(where);
  }

  sharing_matrix sharing() const override { return {}; }

 private:
  void make_candidates(const world& where) {
    const topology& machine = *where.machine();
    std::mt19937_64 seeds(options_.seed == 0 ? where.seed() : options_.seed);
    const bool by_list = options_.first_algorithm.empty();
    if (by_list && std::all_of(options_.first_list.begin(), options_.first_list.end(),
                               [&](pu_id pu) { return pu.index() < machine.pu_count(); })) {
      candidates_.push_back({.order = options_.first_list});
    }
    for (std::size_t i = by_list ? 1 : 0; i < options_.mappings; ++i) {
      const std::string name = i == 0 ? options_.first_algorithm : "random";
      const std::vector<pu_id> order = order_of(name, machine, seeds());
      if (!order.empty()) candidates_.push_back({.order = order});
    }
  }

  /// As many threads as PUs that share nothing, placed by an algorithm that asks for no sharing.
  static std::vector<pu_id> order_of(const std::string& algorithm, const topology& machine,
                                     std::uint64_t seed) {
    const sharing_matrix nothing(machine.pu_count());
    const distance_table distances(machine);
    const result<const mapping_algorithm*> found = find_algorithm(algorithm);
    if (!found) return {};
    const result<mapping_answer> answer = map_threads(
        **found, {.sharing = nothing, .machine = machine, .distances = distances, .seed = seed});
    return answer ? answer->mapping.pu_of : std::vector<pu_id>{};
  }

  void apply(std::size_t number, world& where) {
    const std::vector<pu_id>& order = candidates_[number].order;
    std::vector<pu_id> pus;
    pus.reserve(threads_);
    for (std::size_t t = 0; t < threads_; ++t) pus.push_back(order[t % order.size()]);
    where.spend(software_work::map_threads, threads_);
    current_ = number;
    request_ = where.move_threads(pus);
  }

  /// Reads the counters of every thread that has some.
  std::vector<std::optional<thread_progress>> progress(world& where) const {
    std::vector<std::optional<thread_progress>> all(threads_);
    for (std::uint32_t t = 0; t < threads_; ++t) all[t] = where.progress_of(thread_id(t));
    where.spend(software_work::take_samples, threads_);
    return all;
  }

  /// Instructions per cycle of all threads together that ran in the whole trial.
  void measure(world& where) {
    const std::vector<std::optional<thread_progress>> end = progress(where);
    std::uint64_t instructions = 0, cycles = 0;
    for (std::size_t t = 0; t < begin_.size(); ++t) {
      if (!begin_[t] || !end[t]) continue;
      instructions += end[t]->instructions - begin_[t]->instructions;
      cycles += end[t]->cycles - begin_[t]->cycles;
    }
    if (cycles == 0) return;
    candidates_[current_].ipc = static_cast<double>(instructions) / static_cast<double>(cycles);
  }

  /// Keeps the mapping with the highest value, the earlier one on a tie. Where none was measured
  /// the threads stay in the last one.
  void choose(world& where) {
    chosen_ = true;
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (candidates_[c].failed || candidates_[c].ipc < 0) continue;
      if (!best || candidates_[c].ipc > candidates_[*best].ipc) best = c;
    }
    if (!best) {
      request_.reset();
      current_ = candidates_.size();
      return;
    }
    apply(*best, where);
  }

  options options_;
  std::vector<candidate> candidates_;
  std::size_t current_ = 0;  ///< the one in force; beyond the last: none
  std::optional<ticket> request_;
  std::vector<std::optional<thread_progress>> begin_;
  std::size_t threads_ = 0;
  bool chosen_ = false;
  alarm_clock alarm_;
  timer step_;
};

result<std::vector<pu_id>> list_of_pus(std::string_view text) {
  std::vector<pu_id> list;
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  for (bool more = true; more;) {
    std::uint32_t pu = 0;
    const std::from_chars_result parsed = std::from_chars(next, end, pu);
    more = parsed.ptr != end && *parsed.ptr == ',';
    if (parsed.ec != std::errc() || (parsed.ptr != end && !more)) {
      return fail("parameter first",
                  fmt::format("'{}' is not random, compact, scatter or a list of PUs", text),
                  "write 0,4,1,5");
    }
    list.push_back(pu_id(pu));
    next = parsed.ptr + 1;
  }
  return list;
}

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.mappings = read.whole("mappings", 1, 10'000);
  chosen.warm_up = milliseconds(read, "warm-up");
  chosen.trial = milliseconds(read, "trial");
  chosen.seed = read.whole("seed", 0, ~std::uint64_t{0});
  chosen.moves = read.word("act-on", acts_on_threads_words) == "threads";
  if (read.problem()) return tl::unexpected(*read.problem());
  const std::string& first = values.values().at("first");
  if (std::find(known_mappings.begin(), known_mappings.end(), first) != known_mappings.end()) {
    chosen.first_algorithm = first;
  } else {
    result<std::vector<pu_id>> list = list_of_pus(first);
    if (!list) return tl::unexpected(list.error());
    chosen.first_list = *std::move(list);
  }
  return std::make_unique<autopin_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry autopin_entry{
    .name = "autopin",
    .summary = "tries some thread mappings and keeps the one with most instructions per cycle",
    .source = "Klug et al., HiPEAC 2008; set up after LAPT V-D and SAMMU 5.2",
    .matrix_unit = "",
    .needs = needs,
    .acts = acts,
    .tables = {},
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
