// SPDX-License-Identifier: Apache-2.0
#include "profiler/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace numatch {

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t line_bytes = 64;

/// Bits of `bytes` bytes from byte `first` of a line.
std::uint64_t mask_of(std::uint64_t first, std::uint64_t bytes) {
  const std::uint64_t ones = bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  return ones << first;
}

/// Two threads share a line falsely when one writes and neither uses what the other writes.
bool falsely_shared(const false_sharing::part& a, const false_sharing::part& b) {
  const std::uint64_t a_uses = a.bytes_read | a.bytes_written;
  const std::uint64_t b_uses = b.bytes_read | b.bytes_written;
  return (a.bytes_written | b.bytes_written) != 0 && (a.bytes_written & b_uses) == 0 &&
         (b.bytes_written & a_uses) == 0;
}

bool falsely_shared(const std::vector<false_sharing::part>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      if (falsely_shared(parts[i], parts[j])) return true;
    }
  }
  return false;
}

}  // namespace

/// False when the limit is reached.
bool line_observer::reserve(std::size_t bytes) {
  if (used_bytes_ + bytes > most_bytes_) return false;
  used_bytes_ += bytes;
  return true;
}

/// The slot of a line, with its page.
line_observer::recent& line_observer::recent_of(thread_recents& recents, thread_id thread,
                                                std::uint64_t number) {
  // Arrays often begin at multiples of large powers of two, so that low bits would collide.
  const std::uint64_t mixed = number * 0x9e3779b97f4a7c15U;
  recent& slot = recents[static_cast<std::size_t>(mixed >> 32) % recent_slots];
  if (slot.number != number) [[unlikely]] {
    page& on = pages_.try_emplace(number / lines_per_page, page{thread.value, false, false, {}})
                   .first->second;
    slot = {number, &on, nullptr, 0};
  }
  return slot;
}

/// Finds or makes the thread's part of a watched line; false when there is no room for a new one.
bool line_observer::find_part(recent& slot, thread_id thread) {
  page& on = *slot.on;
  if (!on.lines) {
    if (!reserve(sizeof(page_lines))) return false;
    on.lines = std::make_unique<page_lines>();
  }
  line& here = (*on.lines)[slot.number % lines_per_page];
  std::size_t i = 0;
  while (i < here.parts.size() && here.parts[i].thread != thread) ++i;
  if (i == here.parts.size()) {
    // Vectors grow by doubling.
    if (!reserve(2 * sizeof(false_sharing::part))) return false;
    if (i == 0) here.object = objects_.object_at(slot.number * line_bytes);
    here.parts.push_back({thread, 0, 0, 0});
    if (i == 0) here.last_part = 0;
  }
  slot.here = &here;
  slot.part = static_cast<std::uint32_t>(i);
  return true;
}

void line_observer::touch(recent& slot, thread_id thread, std::uint64_t mask, bool write) {
  if (slot.here == nullptr && !find_part(slot, thread)) [[unlikely]] {
    ++left_out_;
    return;
  }
  line& here = *slot.here;
  if (here.last_part != slot.part) {
    here.last_part = slot.part;
    ++here.turns;
  }
  false_sharing::part& part = here.parts[slot.part];
  ++part.accesses;
  if (write) {
    ++here.writes;
    part.bytes_written |= mask;
  } else {
    part.bytes_read |= mask;
  }
}

void line_observer::on_accesses(thread_id thread, std::uint64_t,
                                std::span<const trace::access> accesses) {
  if (thread.index() >= recents_.size()) recents_.resize(thread.index() + 1);
  thread_recents& recents = recents_[thread.index()];
  for (const trace::access& a : accesses) {
    std::uint64_t address = a.address;
    std::uint64_t left = std::max<std::uint64_t>(a.bytes, 1);
    // A copy of a whole array may be one record: its lines on the first page stand for it.
    left = std::min(left, page_bytes - address % page_bytes);
    while (left > 0) {
      const std::uint64_t here = std::min(left, line_bytes - address % line_bytes);
      recent& slot = recent_of(recents, thread, address / line_bytes);
      if (slot.on->first_thread != thread.value) slot.on->shared = true;
      if (a.write) slot.on->written = true;
      if (slot.on->shared && slot.on->written) {
        touch(slot, thread, mask_of(address % line_bytes, here), a.write);
      }
      address += here;
      left -= here;
    }
  }
}

result<void> line_observer::finish(profile& learned) {
  for (const auto& [number, on] : pages_) {
    if (!on.lines) continue;
    for (std::size_t index = 0; index < on.lines->size(); ++index) {
      const line& here = (*on.lines)[index];
      // A block that changed hands once is no false sharing: somebody must come back to it.
      if (here.turns < here.parts.size() || !falsely_shared(here.parts)) continue;
      false_sharing found{number * page_bytes + index * line_bytes, objects_.index_of(here.object),
                          0, here.writes, here.parts};
      for (const false_sharing::part& p : found.parts) found.accesses += p.accesses;
      std::sort(found.parts.begin(), found.parts.end(),
                [](const auto& a, const auto& b) { return a.thread < b.thread; });
      learned.false_shares.push_back(std::move(found));
    }
  }
  std::sort(learned.false_shares.begin(), learned.false_shares.end(),
            [](const false_sharing& a, const false_sharing& b) {
              return std::tie(b.accesses, a.line_address) < std::tie(a.accesses, b.line_address);
            });
  if (learned.false_shares.size() > most_lines) {
    learned.metadata["false_sharing_lines"] =
        fmt::format("{} lines, the first {} are listed", learned.false_shares.size(), most_lines);
    learned.false_shares.resize(most_lines);
  }
  if (left_out_ > 0) {
    learned.metadata["false_sharing_limit"] =
        fmt::format("{} accesses were left out because cache lines already took {} bytes",
                    left_out_, used_bytes_);
  }
  return {};
}

}  // namespace numatch
