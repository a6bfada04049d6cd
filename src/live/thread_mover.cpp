// SPDX-License-Identifier: Apache-2.0
#include "live/thread_mover.hpp"

#include <algorithm>

#include "live/child_tasks.hpp"
#include "live/guardian.hpp"

namespace numatch::live {

namespace {

std::vector<unsigned> cpus_of(pid_t task) {
  const result<cpu_mask> mask = cpu_mask::of_task(task);
  return mask ? mask->cpus() : std::vector<unsigned>{};
}

std::vector<unsigned> both(const std::vector<unsigned>& own, std::span<const unsigned> wanted) {
  std::vector<unsigned> common;
  for (const unsigned cpu : own) {
    if (std::find(wanted.begin(), wanted.end(), cpu) != wanted.end()) common.push_back(cpu);
  }
  return common;
}

}  // namespace

std::string_view to_string(binding outcome) {
  switch (outcome) {
    case binding::done:
      return "done";
    case binding::forbidden:
      return "outside its processors";
    case binding::taken:
      return "bound by others";
    case binding::gone:
      return "ended";
    case binding::refused:
      break;
  }
  return "refused by the system";
}

std::vector<unsigned> thread_mover::own_cpus(pid_t task) const {
  const auto known = bound_.find(task);
  return known == bound_.end() ? cpus_of(task) : known->second.own;
}

thread_mover::thread_mover(undo_journal& journal, pid_t process)
    : journal_(journal), process_(process), process_id_(lasting_id_of(process, process)) {}

void thread_mover::forget(std::map<pid_t, bound_task>::iterator task) {
  journal_.affinity_restored(task->second.id);
  bound_.erase(task);
}

binding thread_mover::bind(pid_t task, std::span<const unsigned> cpus) {
  const lasting_id id = lasting_id_of(process_, task);
  const std::vector<unsigned> now = cpus_of(task);
  if (id.number == 0 || now.empty()) return binding::gone;
  const auto theirs = taken_.find(task);
  if (theirs != taken_.end() && theirs->second == id.start_time) return binding::taken;

  auto known = bound_.find(task);
  if (known != bound_.end() && known->second.id.start_time != id.start_time) {
    forget(known);
    known = bound_.end();
  }
  if (known != bound_.end() && known->second.ours != now) {
    forget(known);
    taken_[task] = id.start_time;
    return binding::taken;
  }
  const std::vector<unsigned> own = known == bound_.end() ? now : known->second.own;
  const std::vector<unsigned> wanted = both(own, cpus);
  if (wanted.empty()) return binding::forbidden;
  return wanted == now ? binding::done : change(task, {id, own, wanted});
}

binding thread_mover::change(pid_t task, const bound_task& wanted) {
  const cpu_mask own = cpu_mask::of_cpus(wanted.own);
  const cpu_mask ours = cpu_mask::of_cpus(wanted.ours);
  if (!journal_.processors_given(process_id_, own, ours)) return binding::refused;
  if (!journal_.affinity_changes(process_, wanted.id, own)) return binding::refused;
  before_given_.emplace(wanted.ours, wanted.own);
  if (ours.apply_to(task)) {
    bound_[task] = wanted;
    return binding::done;
  }
  if (!bound_.contains(task)) journal_.affinity_restored(wanted.id);
  return lasting_id_of(process_, task).number == 0 ? binding::gone : binding::refused;
}

void thread_mover::adopt(pid_t task) {
  if (bound_.contains(task)) return;
  const auto inherited = before_given_.find(cpus_of(task));
  if (inherited != before_given_.end()) cpu_mask::of_cpus(inherited->second).apply_to(task);
}

void thread_mover::restore(pid_t task) {
  const auto known = bound_.find(task);
  if (known == bound_.end()) return;
  const bound_task& was = known->second;
  const bool same_task = lasting_id_of(process_, task).start_time == was.id.start_time;
  if (same_task && cpus_of(task) == was.ours) cpu_mask::of_cpus(was.own).apply_to(task);
  forget(known);
}

void thread_mover::restore_all() {
  while (!bound_.empty()) restore(bound_.begin()->first);
  if (before_given_.empty()) return;
  if (lasting_id_of(process_, process_).start_time == process_id_.start_time) {
    for (const child_task& heir : tasks_below(process_)) adopt(heir.task);
  }
  before_given_.clear();
  journal_.processors_taken_back(process_id_);
}

}  // namespace numatch::live
