// SPDX-License-Identifier: Apache-2.0
#include "control/controller.hpp"

#include <algorithm>
#include <cmath>

namespace numatch::control {

namespace {

constexpr std::size_t most_fresh = 1 << 20;
constexpr unsigned longest_rest = 64;

/// Standard deviation of the difference of two sampled shares, at most.
double deviation(double uses, double others) {
  return std::sqrt(1 / std::max(uses, 1.0) + 1 / std::max(others, 1.0)) / 2;
}

}  // namespace

controller::controller(managed_program& program, const control_options& options, decision_log log)
    : program_(program),
      options_(options),
      log_(std::move(log)),
      distances_(program.machine()),
      proof_(options.proof),
      interval_(options.interval.first) {}

std::uint32_t controller::number_of(pid_t task) {
  const auto [known, fresh] =
      number_of_.try_emplace(task, static_cast<std::uint32_t>(task_of_.size()));
  if (fresh) task_of_.push_back(task);
  return known->second;
}

void controller::on_task_start(pid_t task, std::uint64_t) {
  program_.welcome(task);
  number_of(task);
}

void controller::on_task_end(pid_t task, std::uint64_t) {
  const auto known = number_of_.find(task);
  if (known == number_of_.end()) return;
  task_of_[known->second] = 0;
  number_of_.erase(known);
  cpu_seconds_.erase(task);
  bound_to_.erase(task);
}

void controller::on_use(const live::sensed_use& use) {
  const page_number page(use.address / live::sensed_page_bytes);
  const std::uint32_t thread = number_of(use.task);
  ++totals_.uses;
  uses_.add(page, thread, use.weight);
  if (fresh_.size() < most_fresh) fresh_.push_back({page, thread, use.weight});
}

result<void> controller::step(std::uint64_t now) {
  if (!began_) {
    began_ = now;
    looked_ = now;
    next_ = now + interval_;
    look_at_threads(now);
  }
  if (program_.pages_wait()) {
    // What was seen while pages were on their way says nothing about before or after.
    fresh_.clear();
    next_ = now + interval_;
    return {};
  }
  // Each stretch of time tells as much as the next, however short: a proof need not wait for long
  // ones.
  const bool early = proof_.is_open() && now >= decided_ + options_.interval.shortest &&
                     static_cast<double>(fresh_.size()) >= options_.fresh_for_proof;
  return now < next_ && !early ? result<void>{} : decide(now);
}

result<void> controller::decide(std::uint64_t now) {
  if (result<void> r = program_.look_at_memory(); !r) return r;
  uses_.end_stretch();
  const std::vector<thread_state> threads = look_at_threads(now);
  const result<remote_share> seen = look_at_fresh(threads);
  if (!seen) return tl::unexpected(seen.error());
  if (seen->uses > 0) {
    if (!totals_.remote_first) totals_.remote_first = seen->share;
    totals_.remote_last = seen->share;
  }
  bool changed = false;
  if (open_) {
    changed = judge(*seen, now);
  } else {
    const result<placement_plan> wanted = plan(threads);
    if (!wanted) return tl::unexpected(wanted.error());
    decision told{.what = deed::stayed,
                  .why = wanted->why,
                  .uses = wanted->uses,
                  .remote_before = wanted->remote_now};
    if (wanted->acts) {
      proof_.drop();
      told.what = options_.dry_run ? deed::would_move : deed::moved;
      told.remote_planned = wanted->remote_then;
      told.threads = wanted->threads_moved();
      told.pages = wanted->pages.size();
      changed = options_.dry_run || act(*wanted, *seen);
    }
    if (rest_ > 0) --rest_;
    tell(told, now);
  }
  // While an action waits for its judgement, what was seen since adds up.
  if (!open_ || changed) fresh_.clear();
  uses_.age(options_.ageing);
  decided_ = now;
  interval_ = lapt::next_interval(interval_, changed, options_.interval);
  next_ = now + interval_;
  return {};
}

std::vector<thread_state> controller::look_at_threads(std::uint64_t now) {
  const std::vector<managed_thread> living = program_.threads();
  for (const managed_thread& thread : living) number_of(thread.task);
  std::vector<thread_state> threads(task_of_.size());
  std::vector<double> took(task_of_.size(), 0);
  double sum = 0;
  double most = 0;
  for (const managed_thread& thread : living) {
    const std::uint32_t number = number_of(thread.task);
    const auto [before, fresh] = cpu_seconds_.try_emplace(thread.task, 0);
    took[number] = thread.cpu_seconds - before->second;
    before->second = thread.cpu_seconds;
    sum += took[number];
    most = std::max(most, took[number]);
    threads[number].pu = thread.pu;
    threads[number].may_use = thread.may_use;
    threads[number].seconds = took[number];
  }
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t].runs = took[t] > 0 && took[t] >= options_.idle_share * most;
  }
  if (now > looked_) processors_ = sum / (static_cast<double>(now - looked_) / 1e9);
  looked_ = now;
  return threads;
}

result<controller::remote_share> controller::look_at_fresh(
    const std::vector<thread_state>& threads) {
  std::vector<page_number> pages;
  for (const fresh_use& use : fresh_) pages.push_back(use.page);
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  const result<std::vector<std::optional<node_id>>> nodes = program_.nodes_of(pages);
  if (!nodes) return tl::unexpected(nodes.error());
  remote_share seen;
  double remote = 0;
  for (const fresh_use& use : fresh_) {
    const std::size_t at = static_cast<std::size_t>(
        std::lower_bound(pages.begin(), pages.end(), use.page) - pages.begin());
    const std::optional<node_id>& node = (*nodes)[at];
    if (!node || use.thread >= threads.size() || !threads[use.thread].pu) continue;
    seen.uses += use.weight;
    if (program_.machine().node_of(*threads[use.thread].pu) != *node) remote += use.weight;
  }
  if (seen.uses > 0) seen.share = remote / seen.uses;
  return seen;
}

result<placement_plan> controller::plan(const std::vector<thread_state>& threads) {
  const std::vector<memory_unit> units = uses_.units(
      program_.huge_bytes(), [this](page_number page) { return program_.is_huge(page); });
  std::vector<page_number> pages;
  for (const memory_unit& unit : units) pages.push_back(unit.seen);
  const result<std::vector<std::optional<node_id>>> nodes = program_.nodes_of(pages);
  if (!nodes) return tl::unexpected(nodes.error());
  std::vector<char> may_move;
  for (const memory_unit& unit : units) may_move.push_back(program_.may_move(unit.page) ? 1 : 0);
  std::vector<std::uint64_t> bytes = uses_.bytes_used();
  bytes.resize(std::max(bytes.size(), threads.size()), 0);
  const std::vector<node_id> targets = program_.page_targets();
  const plan_input input{.seen = {.machine = program_.machine(),
                                  .units = units,
                                  .stretches = uses_.stretches(),
                                  .unit_nodes = *nodes,
                                  .may_move = may_move,
                                  .threads = threads,
                                  .bytes_used = bytes,
                                  .page_targets = targets},
                         .distances = distances_,
                         .processors = processors_};
  if (proof_.is_open()) proof_.try_on_latest(input.seen, options_.rules.cached_bytes);
  return proven_plan(input, plan_placement(input, options_.rules));
}

/// What of a plan later uses have proven; else one that does not act.
placement_plan controller::proven_plan(const plan_input& input, const plan_candidates& wanted) {
  placement_plan best = wanted.better(options_.rules);
  if (best.acts && rest_ > 0) {
    best.acts = false;
    best.why = "the last move did not help";
    return best;
  }
  const plan_parts proven = proof_.proven();
  if (best.acts && proven.any()) {
    placement_plan part = plan_placement(input, options_.rules, proven).better(options_.rules);
    if (part.acts) return part;
  }
  if (proof_.is_over()) proof_.drop();
  if (best.acts) {
    if (!proof_.is_open()) proof_.propose(wanted, input.seen);
    best.acts = false;
    best.why = "later uses have not shown it yet";
  }
  return best;
}

/// True when anything was changed.
bool controller::act(const placement_plan& plan, const remote_share& before) {
  open_action action;
  action.before = before.uses > 0 ? before : remote_share{plan.uses, plan.remote_now};
  action.planned_fall = plan.remote_now - plan.remote_then;
  for (const planned_thread& thread : plan.threads) {
    const pid_t task = task_of_[thread.thread];
    const auto bound = bound_to_.find(task);
    const std::optional<node_id> was =
        bound == bound_to_.end() ? std::nullopt : std::optional(bound->second);
    if (was == thread.to) continue;
    if (program_.bind(task, thread.to) != live::binding::done) {
      ++totals_.threads_refused;
      continue;
    }
    action.threads_were.emplace(task, was);
    bound_to_.insert_or_assign(task, thread.to);
    if (thread.from != thread.to) ++action.threads;
  }
  totals_.threads_moved += action.threads;
  program_.take_moved_pages();  // what went back before is no part of this
  program_.move_pages(plan.pages);
  open_ = std::move(action);
  return true;
}

/// True when something was taken back.
bool controller::judge(const remote_share& after, std::uint64_t now) {
  for (const planned_page& page : program_.take_moved_pages()) {
    open_->pages.push_back(page);
    ++totals_.pages_moved;
  }
  if (after.uses < options_.least_fresh && ++open_->waited < options_.patience) return false;
  const open_action& done = *open_;
  decision told{.what = deed::kept,
                .why = "remote uses fell",
                .threads = done.threads,
                .pages = done.pages.size(),
                .uses = after.uses,
                .remote_before = done.before.share,
                .remote_planned = std::max(0.0, done.before.share - done.planned_fall),
                .remote_after = after.share};
  const double chance = 3 * deviation(done.before.uses, after.uses);
  const bool helped = after.share <= done.before.share - done.planned_fall / 4 + chance;
  if (after.uses < options_.least_fresh) {
    told.why = "too little was seen to judge";
    told.remote_after.reset();
  } else if (!helped) {
    told.what = deed::took_back;
    told.why = "remote uses did not fall";
    take_back();
    rest_ = next_rest_;
    next_rest_ = std::min(2 * next_rest_, longest_rest);
  } else {
    next_rest_ = 2;
  }
  const bool undone = told.what == deed::took_back;
  open_.reset();
  fresh_.clear();
  tell(told, now);
  return undone;
}

void controller::take_back() {
  for (const auto& [task, was] : open_->threads_were) {
    if (was && program_.bind(task, *was) == live::binding::done) {
      bound_to_.insert_or_assign(task, *was);
    } else {
      program_.release(task);
      bound_to_.erase(task);
    }
  }
  std::vector<planned_page> back = open_->pages;
  for (planned_page& page : back) std::swap(page.from, page.to);
  totals_.pages_taken_back += back.size();
  program_.move_pages(back);
}

void controller::tell(decision what, std::uint64_t now) {
  what.seconds = static_cast<double>(now - *began_) / 1e9;
  ++totals_.decisions[static_cast<std::size_t>(what.what)];
  totals_.last_why = what.why;
  if (log_) log_(what);
}

}  // namespace numatch::control
