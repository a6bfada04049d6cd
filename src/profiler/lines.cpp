// SPDX-License-Identifier: Apache-2.0
#include "profiler/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace numatch {

namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr unsigned page_shift = 12;

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

line_observer::page& line_observer::page_of(thread_id thread, std::uint64_t number) {
  if (thread.index() >= recents_.size()) recents_.resize(thread.index() + 1);
  recent& slot = recents_[thread.index()][number % recent_slots];
  if (slot.number != number) [[unlikely]] {
    slot = {number,
            &pages_.try_emplace(number, page{thread.value, false, false, {}}).first->second};
  }
  return *slot.found;
}

/// False when the limit is reached.
bool line_observer::reserve(std::size_t bytes) {
  if (used_bytes_ + bytes > most_bytes_) return false;
  used_bytes_ += bytes;
  return true;
}

/// Null when there is no room for a new one.
false_sharing::part* line_observer::part_of(line& here, thread_id thread, std::uint64_t address) {
  if (!here.parts.empty() && here.parts[here.last_part].thread == thread) {
    return &here.parts[here.last_part];
  }
  std::size_t i = 0;
  while (i < here.parts.size() && here.parts[i].thread != thread) ++i;
  if (i == here.parts.size()) {
    // Vectors grow by doubling.
    if (!reserve(2 * sizeof(false_sharing::part))) return nullptr;
    if (i == 0) here.object = objects_.object_at(address);
    here.parts.push_back({thread, 0, 0, 0});
  }
  if (here.parts.size() > 1) ++here.turns;
  here.last_part = static_cast<std::uint32_t>(i);
  return &here.parts[i];
}

void line_observer::touch_line(page& on, thread_id thread, std::uint64_t address,
                               std::uint64_t bytes, bool write) {
  if (!on.lines && reserve(sizeof(std::array<line, 64>))) {
    on.lines = std::make_unique<std::array<line, 64>>();
  }
  false_sharing::part* part = nullptr;
  if (on.lines) part = part_of((*on.lines)[address / line_bytes % 64], thread, address);
  if (part == nullptr) {
    ++left_out_;
    return;
  }
  ++part->accesses;
  const std::uint64_t mask = mask_of(address % line_bytes, bytes);
  if (write) {
    ++(*on.lines)[address / line_bytes % 64].writes;
    part->bytes_written |= mask;
  } else {
    part->bytes_read |= mask;
  }
}

void line_observer::touch(page& on, thread_id thread, const trace::access& a) {
  std::uint64_t address = a.address;
  std::uint64_t left = a.bytes == 0 ? 1 : a.bytes;
  // A copy of a whole array is one record: its lines on the first page stand for it.
  const std::uint64_t page_end = ((address >> page_shift) + 1) << page_shift;
  left = std::min(left, page_end - address);
  while (left > 0) {
    const std::uint64_t here = std::min(left, line_bytes - address % line_bytes);
    touch_line(on, thread, address, here, a.write);
    address += here;
    left -= here;
  }
}

void line_observer::on_accesses(thread_id thread, std::uint64_t,
                                std::span<const trace::access> accesses) {
  for (const trace::access& a : accesses) {
    page& on = page_of(thread, a.address >> page_shift);
    if (on.first_thread != thread.value) on.shared = true;
    if (a.write) on.written = true;
    if (on.shared && on.written) touch(on, thread, a);
  }
}

result<void> line_observer::finish(profile& learned) {
  for (const auto& [number, on] : pages_) {
    if (!on.lines) continue;
    for (std::size_t index = 0; index < on.lines->size(); ++index) {
      const line& here = (*on.lines)[index];
      // A block that changed hands once is no false sharing: somebody must come back to it.
      if (here.turns < here.parts.size() || !falsely_shared(here.parts)) continue;
      false_sharing found{(number << page_shift) + index * line_bytes,
                          objects_.index_of(here.object), 0, here.writes, here.parts};
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
