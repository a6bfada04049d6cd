// SPDX-License-Identifier: Apache-2.0
// Linux' automatic NUMA balancing as of Linux 6.1 (kernel/sched/fair.c, mm/mempolicy.c), with which
// LAPT (section IV-B) and SAMMU (section 5.2) compare. docs/compared-systems.md tells what had to
// be decided.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "base/flat_table.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/hint_fault_places.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/pu_loads.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

using numa_balancing::fault_kinds;
using numa_balancing::fault_sums;
using numa_balancing::hint_fault;
using numa_balancing::scan_load;
using numa_balancing::scan_rule;

constexpr std::array needs{event_kind::page_fault};
constexpr std::array acts{action_kind::move_threads, action_kind::move_pages,
                          action_kind::induce_faults, action_kind::wake_up};
constexpr std::array<std::string_view, 2> tables{"last faults of pages", "faults of threads"};
enum table : std::uint32_t { last_faults, thread_faults };

constexpr std::array parameters{
    parameter{"scan-delay", "1000", "ms", "time from the first thread's start to the first scan",
              "Linux 6.1 default (scan_delay_ms)"},
    parameter{"scan-period-min", "1000", "ms",
              "shortest time in which a thread's memory is scanned",
              "Linux 6.1 default (scan_period_min_ms)"},
    parameter{"scan-period-max", "60000", "ms", "longest such time",
              "Linux 6.1 default (scan_period_max_ms)"},
    parameter{"scan-size", "256", "MiB", "how much memory is marked in a scan",
              "Linux 6.1 default (scan_size_mb)"},
    parameter{"scan-rate", "2560", "MiB/s",
              "scans follow each other no faster than this; a short scan-period-min needs more",
              "Linux 6.1 (MAX_SCAN_WINDOW)"},
    parameter{"two-stage", "yes", "",
              "a page moves only if the hint fault before came from the same node, too",
              "Linux 6.1 (should_numa_migrate_memory)"},
    parameter{"groups", "yes", "",
              "threads that fault on each other's pages have their preferred node together",
              "Linux 6.1 (task_numa_group)"},
    parameter{"retry", "1000", "ms",
              "longest time between two tries to move a thread; a 16th of its scan period if that "
              "is shorter",
              "Linux 6.1 (numa_migrate_preferred)"},
    acts_on_parameter,
};

/// A thread is settled after so many passes over the address space.
constexpr std::uint64_t early_passes = 4;

struct options {
  std::uint64_t delay = 0;  // nanoseconds
  scan_rule scan;
  bool two_stage = true;
  bool groups = true;
  std::uint64_t retry = 0;  // nanoseconds
  acts_on moves;
};

struct thread_state {
  explicit thread_state(std::size_t nodes) : sums(nodes), fresh(nodes) {}
  fault_sums sums;
  fault_sums fresh;   ///< since the last pass
  fault_kinds kinds;  ///< of the same
  std::optional<node_id> preferred;
  std::uint64_t period = 0;  // nanoseconds
  std::uint64_t passes = 0;  ///< seen at its last placement
  instant next_try;
  bool live = false;
  bool in_group = false;
};

/// What the page table remembers of a page's last hint fault.
struct last_fault {
  std::uint32_t thread = 0;  ///< + 1; 0: there was none
  std::uint32_t node = 0;
};

/// A hint fault with a page move under way: where its page lies is known with the outcome.
struct moving_fault {
  hint_fault fault;
  page_number page;
};

class numa_balancing_mechanism : public mechanism {
 public:
  explicit numa_balancing_mechanism(const options& chosen) : options_(chosen), group_(0) {}

  void on_begin(world& where) override {
    if (where.machine() == nullptr) return;
    page_bytes_ = where.page_bytes();
    group_ = fault_sums(where.machine()->node_count());
  }

  void on_page_fault(const page_fault_event& event, world& where) override {
    sharing_.note_thread(event.thread.value);
    const page_number page = page_of(event.address, where);
    last_fault& last = pages_[page.value];
    if (pages_.size() > scan_order_.size() + new_pages_.size()) new_pages_.push_back(page);
    if (!event.induced) return;
    const std::optional<node_id> to = node_of_event({}, event.thread, where);
    const std::optional<node_id> from = where.node_of(page);
    if (!to || !from) return;
    where.touch({last_faults, page.value * 8, 8, true});
    hint_fault fault{.thread = event.thread, .from = *from, .to = *to};
    if (last.thread > 0) {
      fault.last_thread = thread_id(last.thread - 1);
      fault.last_node = node_id(last.node);
    }
    last = {event.thread.value + 1, to->value};
    handle(fault, page, where);
  }

  void on_thread_start(thread_id thread, world& where) override {
    sharing_.note_thread(thread.value);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    thread_state& state = state_of(thread);
    state.live = true;
    state.period = numa_balancing::first_period(load_of(state), options_.scan);
    if (!scanning_.is_set()) scanning_.set(where.now(), options_.delay);
    alarm_.sleep_until(scanning_.next(), where);
  }

  void on_thread_end(thread_id thread, world& where) override {
    alarm_.thread_ended();
    if (where.machine() != nullptr) state_of(thread).live = false;
  }

  void on_wake_up(world& where) override {
    alarm_.woken();
    if (alarm_.live_threads() == 0) return;
    if (scanning_.due(where.now())) {
      scan(where);
      scanning_.set(where.now(), next_scanner().period);
    }
    alarm_.sleep_until(scanning_.next(), where);
  }

  void on_outcome(const outcome_event& outcome, world& where) override {
    if (thread_move_ && outcome.request == *thread_move_) thread_move_.reset();
    const auto found = moving_.find(outcome.request);
    if (found == moving_.end()) return;
    const hint_fault fault = found->second.fault;
    moving_pages_.erase(found->second.page);
    moving_.erase(found);
    if (!outcome.done) ++state_of(fault.thread).kinds.failed_moves;
    count(fault, outcome.done ? fault.to : fault.from, where);
  }

  /// Who faulted on whose page.
  sharing_matrix sharing() const override { return sharing_.sharing(); }

 private:
  thread_state& state_of(thread_id thread) {
    while (threads_.size() <= thread.index()) threads_.emplace_back(group_.of_cpu.size());
    return threads_[thread.index()];
  }

  // ---- scanning

  /// Threads take turns; there is one that lives.
  thread_state& next_scanner() {
    do {
      scanner_ = (scanner_ + 1) % threads_.size();
    } while (!threads_[scanner_].live);
    return threads_[scanner_];
  }

  /// Marks the next pages in the order of addresses. A pass ends with the highest one.
  void scan(world& where) {
    take_in_new_pages();
    const std::size_t most = std::max<std::uint64_t>(1, options_.scan.bytes / page_bytes_);
    const auto begin =
        std::lower_bound(scan_order_.begin(), scan_order_.end(), page_number(scan_from_));
    const auto left = static_cast<std::size_t>(scan_order_.end() - begin);
    const std::span<const page_number> part(begin, std::min(most, left));
    if (!part.empty()) where.induce_faults({.what = fault_plan::kind::pages, .pages = part});
    where.spend(software_work::scan_pages, part.size());
    if (part.size() < left) {
      scan_from_ = part.back().value + 1;
    } else {
      scan_from_ = 0;
      ++passes_;
    }
  }

  void take_in_new_pages() {
    std::sort(new_pages_.begin(), new_pages_.end());
    const auto middle = static_cast<std::ptrdiff_t>(scan_order_.size());
    scan_order_.insert(scan_order_.end(), new_pages_.begin(), new_pages_.end());
    std::inplace_merge(scan_order_.begin(), scan_order_.begin() + middle, scan_order_.end());
    new_pages_.clear();
  }

  scan_load load_of(const thread_state& state) const {
    scan_load load{.mapped_bytes = pages_.size() * page_bytes_};
    if (!state.in_group) return load;
    load.group_threads = static_cast<std::size_t>(
        std::count_if(threads_.begin(), threads_.end(),
                      [](const thread_state& t) { return t.live && t.in_group; }));
    load.private_faults = group_.total_private();
    load.shared_faults = group_.total_shared();
    return load;
  }

  // ---- hint faults

  /// In the kernel's order: the page, the group, the thread, and then the fault is counted.
  void handle(hint_fault fault, page_number page, world& where) {
    const bool moving = move_page(fault, page, where);
    if (!fault.is_private()) {
      sharing_.add(fault.thread.value, fault.last_thread->value);
      if (options_.groups) {
        join_group(state_of(*fault.last_thread));
        join_group(state_of(fault.thread));
      }
    }
    place(fault.thread, where);
    if (!moving) count(fault, fault.from, where);
  }

  /// True when the page was asked to move: then the fault counts with the outcome.
  bool move_page(hint_fault fault, page_number page, world& where) {
    const thread_state& me = state_of(fault.thread);
    fault.early = !me.preferred || me.passes <= early_passes;
    if (!options_.moves.pages || fault.from == fault.to || moving_pages_.contains(page) ||
        !numa_balancing::page_moves(fault, me.in_group ? &group_ : nullptr, options_.two_stage)) {
      return false;
    }
    moving_.emplace(where.move_page(page, fault.to), moving_fault{fault, page});
    moving_pages_.insert(page);
    return true;
  }

  void join_group(thread_state& state) {
    if (state.in_group) return;
    state.in_group = true;
    group_.add(state.sums);
  }

  /// A fault is local when its page lay on the thread's node, or when both nodes are active ones of
  /// a group that shares it. `memory` is where the page lies after the fault.
  void count(const hint_fault& fault, node_id memory, world& where) {
    thread_state& me = state_of(fault.thread);
    bool local = fault.from == fault.to;
    if (!local && !fault.is_private() && me.in_group) {
      const std::vector<bool> active = numa_balancing::active_nodes(group_);
      local = active[fault.to.index()] && active[memory.index()];
    }
    ++(local ? me.kinds.local : me.kinds.remote);
    std::vector<std::int64_t>& faults =
        fault.is_private() ? me.fresh.of_private : me.fresh.of_shared;
    ++faults[memory.index()];
    ++me.fresh.of_cpu[fault.to.index()];
    const std::uint64_t row = fault.thread.value * std::uint64_t{24} * group_.of_cpu.size();
    where.touch({thread_faults, row + 8 * memory.index(), 8, true});
    where.touch({thread_faults, row + 8 * (2 * group_.of_cpu.size() + fault.to.index()), 8, true});
  }

  // ---- threads

  /// From time to time a thread looks where it belongs.
  void place(thread_id thread, world& where) {
    thread_state& me = state_of(thread);
    const instant now = where.now();
    if (now < me.next_try) return;
    if (me.passes != passes_) {
      me.passes = passes_;
      learn(me, now);
    }
    if (!me.preferred) return;
    me.next_try = instant{now.nanoseconds + std::min(options_.retry, me.period / 16)};
    if (options_.moves.threads && !thread_move_) move(thread, where);
  }

  /// After a pass over the address space: preferred node and scan period.
  void learn(thread_state& me, instant now) {
    me.kinds.of_private = static_cast<std::uint64_t>(me.fresh.total_private());
    me.kinds.of_shared = static_cast<std::uint64_t>(me.fresh.total_shared());
    me.sums.fold(me.fresh, me.in_group ? &group_ : nullptr);
    me.fresh = fault_sums(group_.of_cpu.size());
    const std::optional<node_id> busiest = (me.in_group ? group_ : me.sums).busiest();
    if (busiest) me.preferred = busiest;
    const scan_load load = load_of(me);
    const bool stalled = me.kinds.local + me.kinds.of_shared == 0 || me.kinds.failed_moves > 0;
    me.period = numa_balancing::next_period(me.period, me.kinds,
                                            numa_balancing::shortest_period(load, options_.scan),
                                            numa_balancing::longest_period(load, options_.scan));
    if (stalled) scanning_.set(now, me.period);
    me.kinds = {};
  }

  void move(thread_id thread, world& where) {
    const topology& machine = *where.machine();
    std::vector<std::optional<pu_id>> places = places_of(threads_.size(), where);
    thread_state& me = state_of(thread);
    const std::optional<pu_id> from = places[thread.index()];
    if (!from || machine.node_of(*from) == *me.preferred) return;
    std::vector<numa_balancing::placed_thread> placed;
    placed.reserve(threads_.size());
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      placed.push_back({places[t], &threads_[t].sums, threads_[t].preferred, threads_[t].in_group});
    }
    const std::optional<numa_balancing::thread_step> step =
        numa_balancing::better_place(thread, placed, group_, machine);
    where.spend(software_work::map_threads, 1);
    // A thread of a group settles where there is room, and need not look for the first choice.
    if (me.in_group) me.preferred = machine.node_of(step ? step->to : *from);
    if (!step) return;
    places[thread.index()] = step->to;
    if (step->swap) places[step->swap->index()] = from;
    thread_move_ = where.move_threads(with_any_place(places, machine));
  }

  options options_;
  std::vector<thread_state> threads_;
  fault_sums group_;  ///< of all threads that share pages
  event_matrix sharing_;

  flat_table<last_fault> pages_;         ///< all that ever had a fault
  std::vector<page_number> scan_order_;  ///< those by address ...
  std::vector<page_number> new_pages_;   ///< ... and those since the last scan
  std::uint64_t page_bytes_ = 4096;
  std::uint64_t scan_from_ = 0;  ///< page
  std::uint64_t passes_ = 0;
  std::size_t scanner_ = 0;  ///< thread
  timer scanning_;
  alarm_clock alarm_;

  std::map<ticket, moving_fault> moving_;
  std::set<page_number> moving_pages_;
  std::optional<ticket> thread_move_;  ///< one at a time
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  constexpr double mebi = 1 << 20;
  chosen.delay = milliseconds(read, "scan-delay");
  chosen.scan.shortest = milliseconds(read, "scan-period-min");
  chosen.scan.longest = milliseconds(read, "scan-period-max");
  chosen.scan.bytes = static_cast<std::uint64_t>(mebi * read.real("scan-size", 0.001, 1e6));
  chosen.scan.bytes_per_second =
      static_cast<std::uint64_t>(mebi * read.real("scan-rate", 0.001, 1e9));
  chosen.two_stage = read.flag("two-stage");
  chosen.groups = read.flag("groups");
  chosen.retry = milliseconds(read, "retry");
  chosen.moves = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  if (chosen.scan.shortest > chosen.scan.longest) {
    return fail("parameter scan-period-min", "is longer than scan-period-max");
  }
  return std::make_unique<numa_balancing_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry numa_balancing_entry{
    .name = "numa-balancing",
    .summary = "Linux' automatic NUMA balancing: hint faults move pages and threads",
    .source = "Linux 6.1; LAPT IV-B, SAMMU 5.2",
    .matrix_unit = "shared hint faults",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
