// SPDX-License-Identifier: Apache-2.0
#include "mechanism/view_mechanism.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/pair_rule.hpp"
#include "mapping/request_check.hpp"
#include "mechanism/fault_log.hpp"
#include "mechanism/mvas_rules.hpp"

namespace numatch::mvas {

namespace {

enum table : std::uint32_t { page_nodes };
constexpr std::uint32_t group_size = 64;  // threads, each with a counter of 4 bytes

constexpr std::array<std::string_view, 2> mode_words{"one-shot", "count"};
constexpr std::array<std::string_view, 2> last_node_words{"wrap", "stop"};
constexpr std::array<std::string_view, 2> pair_tie_words{"lower", "higher"};
constexpr std::array<std::string_view, 2> unpaired_words{"fill", "stay"};
constexpr std::array<std::string_view, 2> page_tie_words{"lower", "stay"};

struct options {
  fault_plan::kind views = fault_plan::kind::thread_views;
  std::uint64_t activation_period = 0;  // nanoseconds
  std::uint64_t trace_period = 0;       // nanoseconds
  std::size_t activations = 2;
  bool log = true;
  std::uint32_t groups = 16;
  double alpha = 0.9;
  pair_rule pairs;
  page_tie tie = page_tie::lower;
  acts_on moves;
};

class view_mechanism : public mechanism {
 public:
  explicit view_mechanism(const options& chosen) : options_(chosen), log_(chosen.activations) {}

  void on_page_fault(const page_fault_event& fault, world& where) override {
    const std::uint32_t thread = fault.thread.value;
    if (!tracing_ || !options_.log || thread >= options_.groups * group_size) return;
    const page_number page = page_of(fault.address, where);
    log_.note(page, fault.thread);
    const std::uint64_t counter = (page.value * options_.groups * group_size + thread) * 4;
    where.touch({page_nodes, counter, 4, true});
  }

  void on_thread_start(thread_id thread, world& where) override {
    threads_ = std::max(threads_, thread.index() + 1);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!activation_.is_set()) activation_.set(where.now(), options_.activation_period);
    sleep(where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    const instant now = where.now();
    if (tracing_ && trace_end_.due(now)) {
      end_trace(where);
    } else if (!tracing_ && activation_.due(now)) {
      tracing_ = true;
      log_.begin_activation();
      where.induce_faults({.what = options_.views});
      trace_end_.set(now, options_.trace_period);
      activation_.set(now, options_.activation_period);
    }
    sleep(where);
  }

  sharing_matrix sharing() const override {
    sharing_matrix matrix = access_.sharing();
    if (matrix.size() < threads_) matrix.grow(threads_);
    return matrix;
  }

 private:
  void sleep(world& where) {
    alarm_.sleep_until(tracing_ ? trace_end_.next() : activation_.next(), where);
  }

  void end_trace(world& where) {
    tracing_ = false;
    where.induce_faults({.what = fault_plan::kind::none});
    log_.end_activation();
    const fault_log::page_tuples seen = log_.tuples();
    access_ = {};
    for (const fault_log::page_tuples::tuple& t : seen.pages) {
      add_page(seen.of(t), options_.alpha, access_);
    }
    where.spend(software_work::scan_pages, seen.pages.size());
    sent_.clear();
    if (options_.moves.threads) map_threads(where);
    if (options_.moves.pages) map_pages(seen, where);
  }

  /// The greedy clustering. With more threads than PUs threads are left to the operating system
  /// (section IV), and so they are when no two of them are correlated.
  void map_threads(world& where) {
    const sharing_matrix pairs = sharing();
    const topology& machine = *where.machine();
    if (pairs.total() == 0 || alarm_.live_threads() > machine.pu_count()) return;
    if (!distances_) distances_.emplace(machine);
    const std::optional<thread_mapping> present = places(where);
    const mapping_request request{.sharing = pairs,
                                  .machine = machine,
                                  .distances = *distances_,
                                  .current = present ? &*present : nullptr};
    if (!check_request(request)) return;
    where.spend(software_work::map_threads, threads_);
    std::vector<pu_id> pus = map_by_pair_rule(request, options_.pairs).pu_of;
    if (present && present->pu_of == pus) return;
    sent_ = std::move(pus);
    where.move_threads(sent_);
  }

  std::optional<thread_mapping> places(const world& where) const {
    thread_mapping mapping;
    for (std::uint32_t t = 0; t < threads_; ++t) {
      const std::optional<pu_id> pu = where.pu_of(thread_id(t));
      if (!pu) return std::nullopt;
      mapping.pu_of.push_back(*pu);
    }
    return mapping;
  }

  void map_pages(const fault_log::page_tuples& seen, world& where) {
    for (const fault_log::page_tuples::tuple& t : seen.pages) {
      const std::optional<node_id> present = where.node_of(t.page);
      if (!present) continue;
      const std::optional<std::uint32_t> owner =
          owner_of(seen.of(t), options_.tie,
                   [&](std::uint32_t thread) { return node_of(thread, where) == present; });
      if (!owner) continue;
      const std::optional<node_id> node = node_of(*owner, where);
      if (node && node != present) where.move_page(t.page, *node);
    }
  }

  /// Where the thread was just sent, else where it runs.
  std::optional<node_id> node_of(std::uint32_t thread, const world& where) const {
    if (thread < sent_.size()) return where.machine()->node_of(sent_[thread]);
    return node_of_event({}, thread_id(thread), where);
  }

  options options_;
  fault_log log_;
  event_matrix access_;  ///< A of Eq. 4
  std::optional<distance_table> distances_;
  std::vector<pu_id> sent_;  ///< where threads were sent with the last activation
  std::size_t threads_ = 0;
  bool tracing_ = false;
  timer activation_;
  timer trace_end_;
  alarm_clock alarm_;
};

}  // namespace

result<std::unique_ptr<mechanism>> make_view_mechanism(const parameter_set& values,
                                                       fault_plan::kind views) {
  parameter_reader read(values);
  options chosen;
  chosen.views = views;
  chosen.activation_period = milliseconds(read, "activation-period");
  chosen.trace_period = milliseconds(read, "trace-period");
  const bool counts = read.word("mode", mode_words) == "count";
  chosen.activations = read.whole("activations", 1, 1000);
  if (!counts) chosen.activations = 1;
  chosen.log = read.flag("log");
  chosen.groups = static_cast<std::uint32_t>(read.whole("thread-groups", 1, 1024));
  chosen.alpha = read.real("alpha", 0, 1);
  chosen.pairs.wraps = read.word("last-node", last_node_words) == "wrap";
  chosen.pairs.lower_first = read.word("pair-ties", pair_tie_words) == "lower";
  chosen.pairs.alone_stay = read.word("unpaired", unpaired_words) == "stay";
  chosen.tie = read.word("page-ties", page_tie_words) == "stay" ? page_tie::stay : page_tie::lower;
  chosen.moves = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  if (chosen.trace_period >= chosen.activation_period) {
    return fail("parameter trace-period", "is not shorter than activation-period");
  }
  return std::make_unique<view_mechanism>(chosen);
}

}  // namespace numatch::mvas
