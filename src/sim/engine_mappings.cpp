// SPDX-License-Identifier: Apache-2.0
// What the program does to its address space, as Linux does it: mmap(2), mremap(2), mbind(2).
#include <algorithm>

#include "sim/engine.hpp"

namespace numatch::sim {

namespace {

/// Of the system that the program was recorded on.
constexpr std::uint64_t recorded_page = 4096;

}  // namespace

/// Pages that have nothing else: a larger page of the simulated machine may hold a neighbour, too.
/// A length that ends inside a page of the system means all of that.
engine::page_range engine::whole_pages(const stretch& range) const {
  const std::uint64_t granule = std::min(recorded_page, config_.page_bytes);
  const std::uint64_t end = (range.address + range.bytes + granule - 1) / granule * granule;
  const std::uint64_t first = (range.address + config_.page_bytes - 1) / config_.page_bytes;
  return {first, std::max(first, end / config_.page_bytes)};
}

engine::page_range engine::touched_pages(const stretch& range) const {
  const std::uint64_t first = range.address / config_.page_bytes;
  return {first, std::max(first, (range.address + range.bytes + config_.page_bytes - 1) /
                                     config_.page_bytes)};
}

/// The pages of a range that somebody has used, in their order.
std::vector<std::uint64_t> engine::mapped_in(const page_range& pages) const {
  std::vector<std::uint64_t> found;
  if (pages.end - pages.first <= known_pages_.size()) {
    for (std::uint64_t page = pages.first; page < pages.end; ++page) {
      if (pages_.find(page) != nullptr) found.push_back(page);
    }
    return found;
  }
  for (const std::uint64_t page : known_pages_) {
    if (page >= pages.first && page < pages.end) found.push_back(page);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void engine::bind_range(const stretch& range, const page_starts::policy& wanted, bool move,
                        const system_event& e) {
  const page_range pages = touched_pages(range);
  page_starts_.bind(pages.first, pages.end - pages.first, wanted);
  if (!move) return;
  const std::uint32_t pu = threads_[e.thread].pu;
  const unsigned own = pu == sim_thread::no_pu ? 0 : config_.node_of_pu[pu];
  for (const std::uint64_t page : mapped_in(pages)) {
    page_entry& entry = *pages_.find(page);
    const std::optional<unsigned> node = page_starts_.bound_node(page, own);
    if (node && *node < config_.nodes && *node != entry.node) move_page(page, entry, *node);
  }
}

void engine::unmap(std::uint64_t address, std::uint64_t bytes) {
  const page_range pages = whole_pages({address, bytes});
  if (pages.first == pages.end) return;
  page_starts_.forget(pages.first, pages.end - pages.first);
  const std::vector<std::uint64_t> gone = mapped_in(pages);
  if (gone.empty()) return;
  for (const std::uint64_t page : gone) {
    if (pages_.find(page)->replicated) --replicated_now_;
    forget_mapping(page);
    pages_.unmap(page);
  }
  std::erase_if(known_pages_, [&](std::uint64_t page) { return pages_.find(page) == nullptr; });
}

void engine::forget_mapping(std::uint64_t page) {
  forget_page(page);
  for (sim_thread& t : threads_) {
    if (bool* seen = t.view.find(page); seen != nullptr) *seen = false;
  }
}

/// The frames stay where they are, and the policy goes along; what lay at the new place is gone.
/// From no bytes the same memory gets a second place and keeps the first.
void engine::remap(const stretch& from, const stretch& to) {
  const std::uint64_t way = to.address - from.address;
  const std::uint64_t kept = std::min(from.bytes, to.bytes);
  if (way != 0) unmap(to.address, to.bytes);
  const page_range before = touched_pages(from);
  const page_range after = touched_pages(to);
  page_starts_.carry({before.first, before.end - before.first},
                     {after.first, after.end - after.first});
  if (way == 0) return unmap(from.address + kept, from.bytes - kept);
  // Within larger pages of the simulated machine nothing can move: there it starts anew.
  if (way % config_.page_bytes == 0) {
    const std::uint64_t pages_on = to.address / config_.page_bytes - before.first;
    const std::vector<std::uint64_t> moved = mapped_in(whole_pages({from.address, kept}));
    for (const std::uint64_t page : moved) {
      forget_mapping(page);
      pages_.rename(page, page + pages_on);
    }
    for (std::uint64_t& page : known_pages_) {
      if (std::binary_search(moved.begin(), moved.end(), page)) page += pages_on;
    }
  }
  unmap(from.address, from.bytes);
}

}  // namespace numatch::sim
