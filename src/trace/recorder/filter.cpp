// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/recorder/internals.hpp"

namespace numatch::trace {

namespace {
void put_record(thread_recorder* t, const tlb_record& record) {
  if (t->stopped != 0) return;
  if (!is_ours(t->owner) || has_stopped(t->owner->session)) return silence(t);
  if (bytes_of(t->data.progress) + sizeof record > t->data_limit && !grow_data(t) &&
      !flush_data(t)) {
    return;
  }
  const std::uint32_t bytes = bytes_of(t->data.progress);
  if (bytes == 0) {
    t->data.first_stamp = take_stamp(t->owner->session);
    t->data.first_position = record.position;
  }
  __builtin_memcpy(t->data_bytes + bytes, &record, sizeof record);
  commit(t->data, progress_of(bytes + sizeof record, records_of(t->data.progress) + 1));
}

void record_miss(thread_recorder* t, std::uint64_t address) {
  const std::uint64_t position = position_of(t);
  const tlb_entry evicted = t->filter.take_in(address);
  put_record(t, {position, address / t->filter.page_bytes(), evicted.page, evicted.accesses});
}

}  // namespace

void filter_slowly(thread_recorder* t, std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t page_bytes = t->filter.page_bytes();
  const std::uint64_t last = (address + bytes - 1) / page_bytes * page_bytes;
  for (std::uint64_t page = address / page_bytes * page_bytes;; page += page_bytes) {
    if (!t->filter.hit(page, 1)) record_miss(t, page);
    if (page == last) return;
    ++t->extra_lookups;
  }
}

void flush_filter(thread_recorder* t) {
  for (std::uint32_t i = 0; i < t->filter.entry_count(); ++i) {
    const tlb_entry entry = t->filter.entry(i);
    if (entry.page != ~std::uint64_t{0}) {
      put_record(t, {position_of(t), ~std::uint64_t{0}, entry.page, entry.accesses});
    }
  }
  t->filter.flush();
}

}  // namespace numatch::trace
