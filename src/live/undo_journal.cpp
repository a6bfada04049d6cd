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

bool undo_journal::write(const cpu_mask& mask, cpu_words& words) {
  words.fill(0);
  for (const unsigned cpu : mask.cpus()) {
    if (cpu >= most_cpus) return false;
    words[cpu / word_bits] |= 1UL << (cpu % word_bits);
  }
  return true;
}

std::vector<unsigned> undo_journal::read(const cpu_words& words) {
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < most_cpus; ++cpu) {
    if ((words[cpu / word_bits] >> (cpu % word_bits) & 1UL) != 0) cpus.push_back(cpu);
  }
  return cpus;
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
  if (!write(before, entry->cpus)) return full();
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
    task.cpus = read(entry.cpus);
  }
  return changed;
}

result<void> undo_journal::processors_given(lasting_id process, const cpu_mask& before,
                                            const cpu_mask& given) {
  cpu_words own{};
  cpu_words ours{};
  if (!write(before, own) || !write(given, ours)) return full();
  const std::size_t used = shared_->given_count;
  for (const given_entry& known : std::span(shared_->given).first(used)) {
    if (known.open && same(known.process, process) && known.given == ours) return {};
  }
  given_entry* const entry = free_entry(shared_->given, shared_->given_count);
  if (entry == nullptr) return full();
  entry->process = process;
  entry->before = own;
  entry->given = ours;
  entry->open = true;
  return {};
}

void undo_journal::processors_taken_back(lasting_id process) {
  const std::size_t used = shared_->given_count;
  for (given_entry& entry : std::span(shared_->given).first(used)) {
    if (same(entry.process, process)) entry.open = false;
  }
}

std::vector<undo_journal::given_processors> undo_journal::open_given() const {
  std::vector<given_processors> all;
  const std::size_t used = shared_->given_count;
  for (const given_entry& entry : std::span(shared_->given).first(used)) {
    if (entry.open) all.push_back({entry.process, read(entry.before), read(entry.given)});
  }
  return all;
}

}  // namespace numatch::live
