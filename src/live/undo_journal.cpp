// SPDX-License-Identifier: Apache-2.0
#include "live/undo_journal.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace numatch::live {

namespace {

bool same(const lasting_id& one, const lasting_id& other) {
  return one.number == other.number && one.start_time == other.start_time;
}

/// The entry to be written: one that is struck out, else a new one; nullptr: none is left.
template <class Entries>
typename Entries::value_type* free_entry(Entries& entries, std::atomic<std::size_t>& count) {
  const typename Entries::iterator used_end =
      entries.begin() + static_cast<std::ptrdiff_t>(count.load());
  const typename Entries::iterator struck =
      std::find_if(entries.begin(), used_end,
                   [](const typename Entries::value_type& entry) { return !entry.open.load(); });
  if (struck != used_end) return &*struck;
  if (count.load() == entries.size()) return nullptr;
  ++count;
  return &*used_end;
}

tl::unexpected<error> full() {
  return fail("", "more was changed than can be written down");
}

}  // namespace

result<undo_journal> undo_journal::make() {
  // Zeros are an empty journal; pages that are not written cost nothing.
  void* const memory = ::mmap(nullptr, sizeof(pages), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return fail("mmap", std::strerror(errno));
  return undo_journal(static_cast<pages*>(memory));
}

undo_journal::undo_journal(undo_journal&& other) noexcept
    : shared_(std::exchange(other.shared_, nullptr)) {}

undo_journal& undo_journal::operator=(undo_journal&& other) noexcept {
  std::swap(shared_, other.shared_);
  return *this;
}

undo_journal::~undo_journal() {
  if (shared_ != nullptr) ::munmap(shared_, sizeof(pages));
}

result<void> undo_journal::policies_change(lasting_id process, std::uint64_t first,
                                           std::uint64_t end) {
  const std::size_t used = shared_->policy_count;
  for (policy_entry& entry : std::span(shared_->policies).first(used)) {
    const changed_policies& known = entry.what;
    if (entry.open && same(known.process, process) && known.first <= first && known.end >= end) {
      return {};
    }
  }
  policy_entry* const entry = free_entry(shared_->policies, shared_->policy_count);
  if (entry == nullptr) return full();
  entry->what = {process, first, end};
  entry->open = true;
  return {};
}

void undo_journal::policies_restored(lasting_id process) {
  const std::size_t used = shared_->policy_count;
  for (policy_entry& entry : std::span(shared_->policies).first(used)) {
    if (same(entry.what.process, process)) entry.open = false;
  }
}

result<void> undo_journal::affinity_changes(pid_t process, lasting_id task,
                                            const cpu_mask& before) {
  const std::size_t used = shared_->affinity_count;
  for (const affinity_entry& entry : std::span(shared_->affinities).first(used)) {
    if (entry.open && same(entry.task, task)) return {};
  }
  affinity_entry* const entry = free_entry(shared_->affinities, shared_->affinity_count);
  if (entry == nullptr) return full();
  entry->process = process;
  entry->task = task;
  entry->cpus.fill(0);
  for (const unsigned cpu : before.cpus()) {
    if (cpu >= most_cpus) return full();
    entry->cpus[cpu / word_bits] |= 1UL << (cpu % word_bits);
  }
  entry->open = true;
  return {};
}

void undo_journal::affinity_restored(lasting_id task) {
  const std::size_t used = shared_->affinity_count;
  for (affinity_entry& entry : std::span(shared_->affinities).first(used)) {
    if (same(entry.task, task)) entry.open = false;
  }
}

std::vector<undo_journal::changed_policies> undo_journal::open_policies() const {
  std::vector<changed_policies> changed;
  const std::size_t used = shared_->policy_count;
  for (const policy_entry& entry : std::span(shared_->policies).first(used)) {
    if (entry.open) changed.push_back(entry.what);
  }
  return changed;
}

std::vector<undo_journal::changed_affinity> undo_journal::open_affinities() const {
  std::vector<changed_affinity> changed;
  const std::size_t used = shared_->affinity_count;
  for (const affinity_entry& entry : std::span(shared_->affinities).first(used)) {
    if (!entry.open) continue;
    changed_affinity& task = changed.emplace_back();
    task.process = entry.process;
    task.task = entry.task;
    for (unsigned cpu = 0; cpu < most_cpus; ++cpu) {
      if ((entry.cpus[cpu / word_bits] >> (cpu % word_bits) & 1UL) != 0) task.cpus.push_back(cpu);
    }
  }
  return changed;
}

}  // namespace numatch::live
