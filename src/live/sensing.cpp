// SPDX-License-Identifier: Apache-2.0
#include "live/sensing.hpp"

#include <algorithm>
#include <utility>

namespace numatch::live {

namespace {

/// Of the budget, for reports of uses that nobody planned: as much again goes for being ready to
/// see them, which nothing counts.
constexpr double share_of_reports = 0.5;

}  // namespace

sensing::sensing(sensed_program& program, sensor& senses, arming how, bool writes_only,
                 const sensing_options& options, use_sink& client)
    : program_(program),
      sensor_(senses),
      how_(how),
      options_(options),
      client_(client),
      writes_only_(writes_only),
      ranges_(writes_only),
      sampler_(options.pages),
      budget_(options.budget),
      unplanned_(options.budget * share_of_reports) {}

result<void> sensing::step(std::uint64_t now) {
  now_ = now;
  if (!began_) {
    began_ = now;
    next_round_ = now;
    processor_time_at_begin_ = program_.processor_time();
    if (result<void> r = rescan(); !r) return r;
  }
  advance_budget();
  if (result<void> r = sensor_.collect(*this); !r) return r;
  if (trouble_) return tl::unexpected(*trouble_);
  if (result<void> r = consider_rest(); !r) return r;
  if (now < next_round_) return {};
  next_round_ = now + options_.round;
  if (pages_moved_ || now >= scanned_ + options_.rescan) {
    if (result<void> r = rescan(); !r) return r;
  }
  return rests_ ? result<void>{} : arm();
}

void sensing::advance_budget() {
  const std::uint64_t used = program_.processor_time();
  // An ended program has no time to read.
  const std::uint64_t processor =
      used < processor_time_at_begin_ ? 0 : used - processor_time_at_begin_;
  const std::uint64_t time = std::min(processor, now_ - *began_);
  budget_.advance(time);
  unplanned_.advance(time);
}

result<void> sensing::rescan() {
  scanned_ = now_;
  result<std::vector<mapped_range>> mappings = program_.mappings();
  if (!mappings) return tl::unexpected(mappings.error());
  // What an ended program had stays known: its last uses are still to come.
  if (mappings->empty()) return {};
  const bool changed = ranges_.update(std::move(*mappings));
  const bool look = std::exchange(pages_moved_, false) || changed;
  if (look) {
    prepared_ = false;
    if (result<void> r = sensor_.watch(ranges_.watched()); !r) return r;
  }
  const std::vector<page_run> pages = ranges_.watched_pages();
  if (how_ == arming::by_page && is_sparse()) {
    sampler_.watch(sensor_.in_memory(pages));
  } else if (look) {
    sampler_.watch(pages);
  }
  return {};
}

/// Most of its address space is only reserved, as runtimes of languages and sanitizers do. Of what
/// is drawn there by chance, hardly any page would exist.
bool sensing::is_sparse() {
  const std::optional<std::uint64_t> resident = program_.resident_pages();
  if (!resident) return false;
  std::uint64_t mapped = 0;
  for (const page_run& run : ranges_.watched_pages()) mapped += run.pages;
  constexpr std::uint64_t always_fine = 1 << 18;  // 1 GiB
  return mapped > always_fine && mapped / 4 > *resident;
}

result<void> sensing::arm() {
  switch (how_) {
    case arming::by_page:
      return arm_by_page();
    case arming::whole:
      return budget_.may_spend() ? arm_whole() : result<void>{};
    case arming::by_kernel:
      return prepared_ ? result<void>{} : arm_whole();
    case arming::by_hardware:
      break;
  }
  return {};
}

result<void> sensing::arm_whole() {
  prepared_ = true;
  const result<armed> done = sensor_.arm(ranges_.watched_pages());
  if (!done) return tl::unexpected(done.error());
  totals_.armed += done->pages;
  totals_.refused = done->refused;
  planned_ = done->pages;
  budget_.spend(options_.costs.per_arming +
                options_.costs.per_whole_page * static_cast<double>(done->pages));
  return {};
}

result<void> sensing::arm_by_page() {
  sampler_.begin_round();
  while (budget_.may_spend()) {
    const std::vector<page_run> pages = sampler_.next();
    if (pages.empty()) break;
    const result<armed> done = sensor_.arm(pages);
    if (!done) return tl::unexpected(done.error());
    totals_.armed += done->pages;
    totals_.refused += done->refused;
    if (done->pages == 0) sampler_.nothing_armed();
    // The faults are paid for in advance: whenever they come, they are within the budget.
    budget_.spend(options_.costs.per_arming * static_cast<double>(pages.size()) +
                  (options_.costs.per_armed_page + options_.costs.per_fault) *
                      static_cast<double>(done->pages));
  }
  return {};
}

/// A use of what was armed belongs to the plan; others are the program's own faults, or what the
/// kernel or the processor chose.
void sensing::pay_for_use(bool was_armed) {
  const sensing_costs& costs = options_.costs;
  switch (how_) {
    case arming::by_page:
      if (was_armed) return;  // paid for when the page was armed
      budget_.spend(costs.per_sample);
      break;
    case arming::whole:
      budget_.spend(costs.per_fault);
      if (planned_ > 0) {
        --planned_;
        return;
      }
      break;
    case arming::by_kernel:
      budget_.spend(costs.per_fault);
      break;
    case arming::by_hardware:
      budget_.spend(costs.per_sample);
      break;
  }
  unplanned_.spend(costs.per_sample);
}

result<void> sensing::consider_rest() {
  const bool due = rests_ ? !unplanned_.may_spend() : unplanned_.is_deep_in_debt();
  if (rests_ == due) return {};
  const result<bool> done = sensor_.rest(due);
  if (!done) return tl::unexpected(done.error());
  if (!*done) return {};
  if (rests_) totals_.rested += now_ - rests_since_;
  rests_ = due;
  rests_since_ = now_;
  return {};
}

void sensing::on_use(const sensed_use& use) {
  const mapped_range* range = ranges_.at(use.address);
  if (range == nullptr && now_ >= scanned_ + options_.hasty_rescan && !trouble_) {
    if (const result<void> r = rescan(); !r) trouble_ = r.error();
    range = ranges_.at(use.address);
  }
  if (range == nullptr || !ranges_.is_watched(*range)) {
    ++totals_.unwatched;
    pay_for_use(false);
    return;
  }
  ++totals_.uses;
  totals_.by_source[static_cast<std::size_t>(use.source)] += use.weight;
  pay_for_use(sampler_.note_use(page_number(use.address / sensed_page_bytes), use.task));
  sensed_use told = use;
  if (!told.write && writes_only_) told.write = true;
  client_.on_use(told);
}

void sensing::on_task_start(pid_t task, std::uint64_t time) {
  client_.on_task_start(task, time);
}

void sensing::on_task_end(pid_t task, std::uint64_t time) {
  client_.on_task_end(task, time);
}

void sensing::on_lost(std::uint64_t uses) {
  totals_.lost += uses;
  client_.on_lost(uses);
}

sensing_totals sensing::totals() const {
  sensing_totals totals = totals_;
  totals.watched_pages = sampler_.watched_pages();
  const bool all_armed = how_ == arming::whole && totals.armed != 0;
  totals.never_sensed = all_armed ? 0 : sampler_.never_sensed();
  if (rests_) totals.rested += now_ - rests_since_;
  totals.cost = budget_.spent();
  totals.program_time = budget_.program_time();
  return totals;
}

}  // namespace numatch::live
