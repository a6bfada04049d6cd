// SPDX-License-Identifier: Apache-2.0
#include "profiler/tlb_sensor.hpp"

#include <algorithm>
#include <bit>

namespace numatch {

namespace {
constexpr std::uint64_t no_page = ~std::uint64_t{0};
}

tlb_sensor::tlb_sensor(const tlb_geometry& geometry, mechanism& receiver)
    : geometry_(geometry),
      page_shift_(static_cast<unsigned>(std::countr_zero(geometry.page_bytes))),
      receiver_(receiver),
      plan_(receiver.sensors()) {}

tlb& tlb_sensor::tlb_of(thread_id thread) {
  if (thread.index() >= tlbs_.size()) tlbs_.resize(thread.index() + 1);
  std::unique_ptr<thread_tlb>& found = tlbs_[thread.index()];
  if (found == nullptr) {
    found = std::make_unique<thread_tlb>();
    found->storage.resize(geometry_.entries);
    found->lookup = tlb(found->storage.data(), geometry_.sets(), geometry_.ways);
  }
  return found->lookup;
}

void tlb_sensor::accesses(thread_id thread, std::span<const trace::access> accesses, world& where) {
  tlb& lookup = tlb_of(thread);
  for (const trace::access& a : accesses) {
    const std::uint64_t last_byte = a.address + (a.bytes == 0 ? 0 : a.bytes - 1);
    const std::uint64_t last = std::max(a.address, last_byte) >> page_shift_;
    for (std::uint64_t page = a.address >> page_shift_; page <= last; ++page) {
      look_up(lookup, thread, page, where);
    }
  }
}

inline void tlb_sensor::look_up(tlb& lookup, thread_id thread, std::uint64_t page, world& where) {
  tlb_entry evicted;
  if (lookup.access(page, evicted) == tlb_outcome::miss) [[unlikely]] {
    missed(thread, page, evicted, where);
  }
  std::uint64_t& count = lookup.newest_count(page);
  if (count >= plan_.counter_max) [[unlikely]]
    saturated(count, thread, page, where);
}

void tlb_sensor::missed(thread_id thread, std::uint64_t page, const tlb_entry& evicted,
                        world& where) {
  ++misses_;
  if (evicted.page != no_page) {
    receiver_.on_tlb_evict({thread, page_number(evicted.page), evicted.accesses, false, {}}, where);
  }
  receiver_.on_tlb_miss({thread, page_number(page), {}}, where);
}

void tlb_sensor::saturated(std::uint64_t& count, thread_id thread, std::uint64_t page,
                           world& where) {
  const bool just_now = count == plan_.counter_max;
  count = plan_.reset_on_saturation ? 0 : plan_.counter_max;
  if (just_now) {
    receiver_.on_tlb_evict({thread, page_number(page), plan_.counter_max, true, {}}, where);
  }
}

void tlb_sensor::flush(thread_id thread, world& where) {
  if (thread.index() >= tlbs_.size() || tlbs_[thread.index()] == nullptr) return;
  tlb& lookup = tlbs_[thread.index()]->lookup;
  for (std::uint32_t i = 0; i < lookup.entry_count(); ++i) {
    const tlb_entry& left = lookup.entry(i);
    if (left.page == no_page) continue;
    receiver_.on_tlb_evict({thread, page_number(left.page), left.accesses, false, {}}, where);
  }
  lookup.flush();
}

void tlb_sensor::flush_all(world& where) {
  for (std::uint32_t t = 0; t < tlbs_.size(); ++t) flush(thread_id(t), where);
}

}  // namespace numatch
