// SPDX-License-Identifier: Apache-2.0
#include "mechanism/spcd_table.hpp"

#include <bit>

namespace numatch::spcd {

std::uint64_t fault_table::entry_of(std::uint64_t block) const {
  // The high bits of a product with the golden ratio, so that neighbours spread over the table.
  return (block * 0x9e3779b97f4a7c15u) >> (64 - std::countr_zero(rule_.entries));
}

std::span<const thread_id> fault_table::note(std::uint64_t block, thread_id thread, instant now) {
  met_.clear();
  std::uint32_t& place = used_[entry_of(block)];
  if (place == 0) {
    entries_.push_back({block, {}});
    place = static_cast<std::uint32_t>(entries_.size());
  }
  entry& found = entries_[place - 1];
  if (found.block != block) {
    if (!rule_.overwrite) return met_;
    found = {block, {}};
  }
  std::erase_if(found.visits, [&](const visit& v) { return v.thread == thread; });
  for (const visit& v : found.visits) {
    if (rule_.window == 0 || now.nanoseconds <= v.when.nanoseconds + rule_.window) {
      met_.push_back(v.thread);
    }
  }
  found.visits.insert(found.visits.begin(), {thread, now});
  if (found.visits.size() > rule_.list_length) found.visits.pop_back();
  return met_;
}

}  // namespace numatch::spcd
