// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/release_order.hpp"

#include <algorithm>

namespace numatch::trace {

namespace {
constexpr std::uint64_t not_yet = ~std::uint64_t{0};
}

result<release_order> release_order::read(const reader& trace) {
  release_order order;
  for (const thread_info& thread : trace.threads()) {
    event_cursor events = trace.events_of(thread.id);
    for (;;) {
      const result<const event*> next = events.next();
      if (!next) return tl::unexpected(next.error());
      if (*next == nullptr) break;
      const event& happened = **next;
      if (happened.kind == event_kind::release) {
        order.objects_[happened.args[0]].stamps.push_back(happened.stamp);
      }
      if (happened.kind == event_kind::roi_begin) order.has_region_of_interest_ = true;
    }
  }
  order.prepare();
  return order;
}

release_order release_order::make(std::span<const release> known) {
  release_order order;
  for (const release& one : known) order.objects_[one.object].stamps.push_back(one.stamp);
  order.prepare();
  return order;
}

void release_order::prepare() {
  for (auto& [object, known] : objects_) {
    std::sort(known.stamps.begin(), known.stamps.end());
    known.times.assign(known.stamps.size(), not_yet);
  }
}

std::optional<std::uint64_t> release_order::ready_time(std::uint64_t object,
                                                       std::uint64_t acquire_stamp) const {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return 0;
  const releases& known = found->second;
  const auto first_later =
      std::lower_bound(known.stamps.begin(), known.stamps.end(), acquire_stamp);
  const std::size_t needed = static_cast<std::size_t>(first_later - known.stamps.begin());
  if (needed > known.prefix) return std::nullopt;
  return needed == 0 ? 0 : known.times[needed - 1];
}

void release_order::happened(std::uint64_t object, std::uint64_t release_stamp,
                             std::uint64_t time) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  releases& known = found->second;
  const auto place = std::lower_bound(known.stamps.begin(), known.stamps.end(), release_stamp);
  if (place == known.stamps.end() || *place != release_stamp) return;
  known.times[static_cast<std::size_t>(place - known.stamps.begin())] = time;
  for (; known.prefix < known.times.size() && known.times[known.prefix] != not_yet;
       ++known.prefix) {
    if (known.prefix == 0) continue;
    known.times[known.prefix] = std::max(known.times[known.prefix], known.times[known.prefix - 1]);
  }
}

}  // namespace numatch::trace
