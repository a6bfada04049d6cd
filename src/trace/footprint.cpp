// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/footprint.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <unordered_map>

namespace numatch::trace {

namespace {

/// A set of page numbers; neighbours share a bitmap, the last one used is at hand.
class page_set {
 public:
  void add(std::uint64_t page) {
    const std::uint64_t group = page / 512;
    if (group != last_group_ || last_ == nullptr) {
      last_group_ = group;
      last_ = &groups_[group];
    }
    (*last_)[page % 512 / 64] |= std::uint64_t{1} << page % 64;
  }
  std::uint64_t size() const {
    std::uint64_t count = 0;
    for (const auto& [group, bits] : groups_) {
      for (const std::uint64_t word : bits) count += static_cast<unsigned>(std::popcount(word));
    }
    return count;
  }

 private:
  using bitmap = std::array<std::uint64_t, 8>;
  std::unordered_map<std::uint64_t, bitmap> groups_;
  std::uint64_t last_group_ = 0;
  bitmap* last_ = nullptr;
};

/// The page size in "tlb:entries=64,ways=4,page=4096".
std::uint64_t page_bytes_of(const std::string& filter, std::uint64_t otherwise) {
  const std::size_t at = filter.find("page=");
  if (at == std::string::npos) return otherwise;
  std::from_chars(filter.data() + at + 5, filter.data() + filter.size(), otherwise);
  return otherwise;
}

void add_block(footprint& all, page_set& pages, const block& b) {
  for (const access& a : b.accesses) {
    const std::uint64_t last = (a.address + a.bytes - 1) / all.page_bytes;
    for (std::uint64_t page = a.address / all.page_bytes; page <= last; ++page) pages.add(page);
    if (a.write) ++all.writes;
  }
}

}  // namespace

result<footprint> measure_footprint(const reader& trace,
                                    const std::function<void(std::uint64_t)>& progress) {
  footprint all;
  all.page_bytes = page_bytes_of(trace.metadata().filter, all.page_bytes);
  page_set pages;
  std::uint64_t read = 0;
  for (const thread_info& thread : trace.threads()) {
    access_cursor cursor = trace.accesses_of(thread.id);
    for (bool more = true; more;) {
      if (trace.tlb_filtered()) {
        const result<std::span<const tlb_record>> records = cursor.next_tlb();
        if (!records) return tl::unexpected(records.error());
        for (const tlb_record& record : *records) {
          if (record.missed_page != ~std::uint64_t{0}) pages.add(record.missed_page);
        }
        read += records->size();
        more = !records->empty();
      } else {
        const result<block> b = cursor.next();
        if (!b) return tl::unexpected(b.error());
        add_block(all, pages, *b);
        read += b->accesses.size();
        more = !b->accesses.empty();
      }
      progress(read);
    }
  }
  if (!trace.tlb_filtered()) all.reads = read - all.writes;
  all.pages = pages.size();
  return all;
}

}  // namespace numatch::trace
