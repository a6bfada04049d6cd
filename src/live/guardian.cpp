// SPDX-License-Identifier: Apache-2.0
#include "live/guardian.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "live/child_tasks.hpp"
#include "live/leave_owner.hpp"
#include "live/policy_restore.hpp"
#include "live/proc_text.hpp"

namespace numatch::live {

namespace {

bool restore_affinity(const undo_journal::changed_affinity& changed) {
  const std::optional<task_stat> stat = read_task_stat(changed.process, changed.task.number);
  if (!stat || stat->start_time != changed.task.start_time) return true;
  return cpu_mask::of_cpus(changed.cpus).apply_to(changed.task.number);
}

/// Who was created by a bound thread is bound as it was.
std::size_t free_heirs(const undo_journal& journal) {
  std::size_t failures = 0;
  const std::vector<undo_journal::given_processors> all = journal.open_given();
  std::map<std::pair<pid_t, std::uint64_t>, std::vector<child_task>> tasks_of;
  for (const undo_journal::given_processors& given : all) {
    const auto key = std::pair(given.process.number, given.process.start_time);
    const lasting_id now = lasting_id_of(key.first, key.first);
    if (now.start_time != key.second) continue;
    if (!tasks_of.contains(key)) tasks_of[key] = tasks_below(key.first);
    for (const child_task& heir : tasks_of[key]) {
      const result<cpu_mask> mask = cpu_mask::of_task(heir.task);
      if (!mask || mask->cpus() != given.given) continue;
      const bool freed = cpu_mask::of_cpus(given.before).apply_to(heir.task);
      if (!freed && lasting_id_of(heir.process, heir.task).number != 0) ++failures;
    }
  }
  return failures;
}

}  // namespace

lasting_id lasting_id_of(pid_t process, pid_t task) {
  const std::optional<task_stat> stat = read_task_stat(process, task);
  return stat ? lasting_id{task, stat->start_time} : lasting_id{};
}

std::size_t restore_changes(const undo_journal& journal) {
  std::size_t failures = 0;
  for (const undo_journal::changed_affinity& changed : journal.open_affinities()) {
    if (!restore_affinity(changed)) ++failures;
  }
  failures += free_heirs(journal);
  std::map<std::pair<pid_t, std::uint64_t>, std::vector<byte_range>> by_process;
  for (const undo_journal::changed_policies& changed : journal.open_policies()) {
    by_process[{changed.process.number, changed.process.start_time}].push_back(
        {changed.first, changed.end});
  }
  for (const auto& [id, ranges] : by_process) {
    const result<observed_process> process = observed_process::open(id.first);
    const std::optional<task_stat> stat = read_task_stat(id.first, id.first);
    if (!process || !stat || stat->start_time != id.second) continue;
    if (!restore_policies(*process, ranges)) ++failures;
  }
  return failures;
}

result<guardian> guardian::start() {
  result<undo_journal> journal = undo_journal::make();
  if (!journal) return tl::unexpected(journal.error());
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("pipe", std::strerror(errno));
  const owned_fd childs(ends[0]);
  owned_fd ours(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return fail("fork", std::strerror(errno));
  if (child == 0) {
    int end = childs.get();
    leave_owner("numatch-guard", std::span(&end, 1));
    wait_for_byte_or_end(end);
    ::_exit(restore_changes(*journal) == 0 ? 0 : 1);
  }
  return guardian(std::move(*journal), std::move(ours), child);
}

guardian::guardian(guardian&& other) noexcept
    : journal_(std::move(other.journal_)),
      alive_(std::move(other.alive_)),
      pid_(std::exchange(other.pid_, 0)) {}

guardian& guardian::operator=(guardian&& other) noexcept {
  std::swap(journal_, other.journal_);
  std::swap(alive_, other.alive_);
  std::swap(pid_, other.pid_);
  return *this;
}

guardian::~guardian() {
  if (pid_ == 0) return;
  alive_ = owned_fd();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace numatch::live
