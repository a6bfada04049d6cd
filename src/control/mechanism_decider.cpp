// SPDX-License-Identifier: Apache-2.0
#include "control/mechanism_decider.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace numatch::control {

namespace {

constexpr std::array events{event_kind::page_fault, event_kind::thread_start,
                            event_kind::thread_end, event_kind::wake_up};
constexpr std::array actions{action_kind::move_threads, action_kind::move_pages,
                             action_kind::induce_faults, action_kind::wake_up};
constexpr std::uint64_t look_interval = 100'000'000;  // nanoseconds

}  // namespace

// What a mechanism asks of its world while it runs is not among what it declares.
bool induces_by_views(const mechanism_entry& wanted) {
  return wanted.name == "spcd" || wanted.name == "mvas" || wanted.name == "mvas-single";
}

result<void> check_runs_live(const mechanism_entry& wanted, bool views) {
  if (wanted.name == "mvas" && !views) {
    return fail("mechanism mvas",
                "needs a view of memory for each thread, which only the sensor module gives",
                "numatch doctor says whether that works here; mvas-single does without");
  }
  if (wanted.name == "autopin") {
    return fail("mechanism autopin", "needs the processors' counters of instructions and cycles",
                "numatch simulate has them");
  }
  return check_fit(wanted, {"a running program", events, actions});
}

mechanism_decider::mechanism_decider(managed_program& program, const mechanism_entry& entry,
                                     std::unique_ptr<mechanism> decides, std::uint64_t seed,
                                     bool dry_run, decision_log log, fault_inducer induces)
    : program_(program),
      name_(entry.name),
      mechanism_(std::move(decides)),
      seed_(seed),
      dry_run_(dry_run),
      log_(std::move(log)),
      induces_(std::move(induces)) {}

/// Time never falls, though uses of several threads are handed on by thread.
void mechanism_decider::reach(std::uint64_t time) {
  if (!began_) {
    began_ = time;
    look_at_threads();
    mechanism_->on_begin(*this);
  }
  if (time > *began_) now_ = std::max(now_, instant{time - *began_});
}

thread_id mechanism_decider::thread_of(pid_t task) {
  const auto known = thread_of_.find(task);
  if (known != thread_of_.end()) return known->second;
  const std::optional<managed_thread> seen = program_.thread(task);
  return born(task, seen ? seen->pu : std::nullopt);
}

thread_id mechanism_decider::born(pid_t task, std::optional<pu_id> pu) {
  const thread_id number(static_cast<std::uint32_t>(task_of_.size()));
  thread_of_.emplace(task, number);
  task_of_.push_back(task);
  pus_.push_back(pu);
  mechanism_->on_thread_start(number, *this);
  return number;
}

void mechanism_decider::on_task_start(pid_t task, std::uint64_t time) {
  program_.welcome(task);
  reach(time);
  thread_of(task);
}

void mechanism_decider::on_task_end(pid_t task, std::uint64_t time) {
  reach(time);
  const auto known = thread_of_.find(task);
  if (known == thread_of_.end()) return;
  const thread_id ended = known->second;
  thread_of_.erase(known);
  task_of_[ended.index()] = 0;
  pus_[ended.index()].reset();
  mechanism_->on_thread_end(ended, *this);
}

void mechanism_decider::on_use(const live::sensed_use& use) {
  reach(use.time);
  ++totals_.uses;
  const page_fault_event fault{.thread = thread_of(use.task),
                               .address = use.address,
                               .write = use.write.value_or(false),
                               .induced = true};
  mechanism_->on_page_fault(fault, *this);
}

result<void> mechanism_decider::step(std::uint64_t now) {
  reach(now);
  if (now >= looked_ + look_interval) {
    looked_ = now;
    look_at_threads();
  }
  if (!program_.pages_wait()) {
    answer_pages();
    send_pages();
  }
  while (!wake_ups_.empty() && wake_ups_.top() <= now_) {
    wake_ups_.pop();
    mechanism_->on_wake_up(*this);
  }
  for (const outcome_event& outcome : std::exchange(outcomes_, {})) {
    mechanism_->on_outcome(outcome, *this);
  }
  return trouble_ ? tl::unexpected(*trouble_) : result<void>{};
}

ticket mechanism_decider::induce_faults(const fault_plan& plan) {
  if (induces_ && !trouble_) {
    if (const result<void> done = induces_(plan); !done) trouble_ = done.error();
  }
  return next_ticket();
}

void mechanism_decider::look_at_threads() {
  const std::vector<managed_thread> living = program_.threads();
  for (const managed_thread& thread : living) {
    const auto known = thread_of_.find(thread.task);
    if (known == thread_of_.end()) {
      born(thread.task, thread.pu);
    } else {
      pus_[known->second.index()] = thread.pu;
    }
  }
}

std::optional<pu_id> mechanism_decider::pu_of(thread_id thread) const {
  return thread.index() < pus_.size() ? pus_[thread.index()] : std::nullopt;
}

std::optional<node_id> mechanism_decider::node_of(page_number page) const {
  const result<std::vector<std::optional<node_id>>> nodes = program_.nodes_of(std::span(&page, 1));
  return nodes ? nodes->front() : std::nullopt;
}

ticket mechanism_decider::move_threads(std::span<const pu_id> pu_of_thread) {
  decision told{.what = dry_run_ ? deed::would_move : deed::moved, .why = name_ + " decided so"};
  std::string problem;
  for (std::size_t t = 0; t < std::min(pu_of_thread.size(), task_of_.size()); ++t) {
    if (task_of_[t] == 0) continue;
    const node_id node = program_.machine().node_of(pu_of_thread[t]);
    if (pus_[t] && program_.machine().node_of(*pus_[t]) != node) ++told.threads;
    if (dry_run_) continue;
    const live::binding bound = program_.bind(task_of_[t], node);
    if (bound == live::binding::done) {
      pus_[t] = pu_of_thread[t];
    } else {
      ++totals_.threads_refused;
      problem = to_string(bound);
    }
  }
  totals_.threads_moved += dry_run_ ? 0 : told.threads;
  const ticket request = next_ticket();
  outcomes_.push_back({request, action_kind::move_threads, problem.empty(), problem});
  tell(std::move(told));
  return request;
}

ticket mechanism_decider::move_page(page_number page, node_id node) {
  const ticket request = next_ticket();
  const std::optional<node_id> from = node_of(page);
  if (!from) {
    outcomes_.push_back({request, action_kind::move_pages, false, "it is not in memory"});
  } else if (!program_.may_move(page)) {
    outcomes_.push_back({request, action_kind::move_pages, false, "it has a memory policy"});
  } else {
    asked_.push_back({request, {page, live::sensed_page_bytes, *from, node}});
  }
  return request;
}

ticket mechanism_decider::replicate_page(page_number) {
  const ticket request = next_ticket();
  outcomes_.push_back({request, action_kind::replicate_pages, false, "pages have no copies here"});
  return request;
}

void mechanism_decider::answer_pages() {
  std::set<page_number> moved;
  for (const planned_page& page : program_.take_moved_pages()) moved.insert(page.page);
  totals_.pages_moved += moved.size();
  for (const asked_page& asked : std::exchange(sent_, {})) {
    const bool done = moved.contains(asked.page.page);
    outcomes_.push_back(
        {asked.request, action_kind::move_pages, done, done ? "" : "it stayed where it was"});
  }
}

void mechanism_decider::send_pages() {
  if (asked_.empty()) return;
  const std::vector<asked_page> next = std::exchange(asked_, {});
  decision told{.what = dry_run_ ? deed::would_move : deed::moved,
                .why = name_ + " decided so",
                .pages = next.size()};
  if (dry_run_) {
    for (const asked_page& asked : next) {
      outcomes_.push_back({asked.request, action_kind::move_pages, false, "a dry run"});
    }
  } else {
    std::vector<planned_page> pages;
    for (const asked_page& asked : next) pages.push_back(asked.page);
    sent_ = next;
    program_.move_pages(pages);
  }
  tell(std::move(told));
}

void mechanism_decider::tell(decision what) {
  what.seconds = static_cast<double>(now_.nanoseconds) / 1e9;
  ++totals_.decisions[static_cast<std::size_t>(what.what)];
  totals_.last_why = what.why;
  if (log_) log_(what);
}

}  // namespace numatch::control
