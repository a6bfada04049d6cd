// SPDX-License-Identifier: Apache-2.0
#include "profiler/objects.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace numatch {

namespace {
// Answers are remembered by the smallest page there is, whatever the profile's page size.
constexpr unsigned slot_shift = 12;

/// Arrays often begin at multiples of large powers of two, so that low bits would collide.
template <std::size_t Slots>
std::size_t slot_of(std::uint64_t page) {
  return static_cast<std::size_t>((page * 0x9e3779b97f4a7c15U) >> 32) % Slots;
}
}  // namespace

object_observer::object_observer(std::uint64_t page_bytes) : page_bytes_(page_bytes) {}

std::size_t object_observer::page_of_object_hash::operator()(
    const page_of_object& key) const noexcept {
  return std::hash<std::uint64_t>{}((key.page + key.object * 0x9e3779b97f4a7c15U) *
                                    0xff51afd7ed558ccdU);
}

object_observer::thread_counts& object_observer::counts_of(thread_id thread) {
  if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
  std::unique_ptr<thread_counts>& counts = threads_[thread.index()];
  if (!counts) counts = std::make_unique<thread_counts>();
  return *counts;
}

void object_observer::forget(const address_range& changed) {
  const std::uint64_t first = changed.first >> slot_shift;
  const std::uint64_t last = (changed.end - 1) >> slot_shift;
  if (last - first >= recent_slots) {
    for (std::uint64_t& changes : changes_) ++changes;
    return;
  }
  for (std::uint64_t page = first; page <= last; ++page) ++changes_[slot_of<recent_slots>(page)];
}

void object_observer::on_event(thread_id thread, const trace::event& happened) {
  table_.on_event(thread, happened, [this](const address_range& changed) { forget(changed); });
}

void object_observer::look_up(thread_counts& counts, std::uint64_t address, std::size_t slot) {
  const object_table::place place = table_.at(address);
  const page_of_object key{address / page_bytes_, place.object};
  counts.recents[slot] = {place.range.first, place.range.end, &counts.accesses[key],
                          changes_[slot]};
}

void object_observer::on_accesses(thread_id thread, std::uint64_t,
                                  std::span<const trace::access> accesses) {
  thread_counts& counts = counts_of(thread);
  for (const trace::access& a : accesses) {
    const std::size_t slot = slot_of<recent_slots>(a.address >> slot_shift);
    const recent& known = counts.recents[slot];
    if (a.address < known.first || a.address >= known.end || known.changes != changes_[slot])
        [[unlikely]] {
      look_up(counts, a.address, slot);
    }
    ++*known.accesses;
  }
}

std::unordered_map<std::uint64_t, bool> object_observer::shared_pages() const {
  std::unordered_map<std::uint64_t, std::uint32_t> first_user;
  std::unordered_map<std::uint64_t, bool> shared;
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (!threads_[t]) continue;
    for (const auto& [key, accesses] : threads_[t]->accesses) {
      const auto [user, added] = first_user.try_emplace(key.page, t);
      if (user->second != t) shared[key.page] = true;
    }
  }
  return shared;
}

result<void> object_observer::finish(profile& learned) {
  const std::unordered_map<std::uint64_t, bool> shared = shared_pages();
  std::vector<data_object> objects = table_.objects();
  std::unordered_map<page_of_object, bool, page_of_object_hash> counted;
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (!threads_[t]) continue;
    for (const auto& [key, accesses] : threads_[t]->accesses) {
      data_object& object = objects[key.object];
      object.accesses += accesses;
      if (!shared.contains(key.page)) continue;
      object.shared_accesses[t] += accesses;
      if (counted.try_emplace(key, true).second) ++object.shared_pages;
    }
  }
  std::vector<std::size_t> order(objects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t id) { return objects[id].accesses == 0; });
  const auto shared_accesses = [&](std::size_t id) {
    std::uint64_t sum = 0;
    for (const auto& [thread, accesses] : objects[id].shared_accesses) sum += accesses;
    return sum;
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(shared_accesses(b), objects[b].accesses, a) <
           std::tuple(shared_accesses(a), objects[a].accesses, b);
  });
  index_of_object_.assign(objects.size(), -1);
  for (const std::size_t id : order) {
    index_of_object_[id] = static_cast<std::int64_t>(learned.objects.size());
    learned.objects.push_back(std::move(objects[id]));
  }
  return {};
}

std::int64_t object_observer::index_of(object_table::object_id object) const {
  return object < index_of_object_.size() ? index_of_object_[object] : -1;
}

}  // namespace numatch
