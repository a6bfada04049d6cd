// SPDX-License-Identifier: Apache-2.0
#include "control/seen_uses.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace numatch::control {

namespace {

constexpr double forgotten = 0.05;
constexpr std::uint64_t page_bytes = 4096;

double all_of(const std::vector<thread_uses>& users) {
  double sum = 0;
  for (const thread_uses& uses : users) sum += uses.all();
  return sum;
}

}  // namespace

bool is_one_threads(const std::vector<thread_uses>& users) {
  double most = 0;
  for (const thread_uses& uses : users) most = std::max(most, uses.all());
  return most >= 0.9 * all_of(users);
}

void add_uses(std::vector<thread_uses>& users, const thread_uses& more) {
  for (thread_uses& known : users) {
    if (known.thread != more.thread) continue;
    known.half[0] += more.half[0];
    known.half[1] += more.half[1];
    return;
  }
  users.push_back(more);
}

void add_uses(std::vector<stretch_uses>& when, const stretch_uses& more) {
  const auto at = std::lower_bound(
      when.begin(), when.end(), more.stretch,
      [](const stretch_uses& known, std::uint64_t stretch) { return known.stretch < stretch; });
  if (at != when.end() && at->stretch == more.stretch) {
    at->uses += more.uses;
  } else {
    when.insert(at, more);
  }
}

void seen_uses::scale(record& known, double factor) {
  for (thread_uses& uses : known.users) {
    uses.half[0] *= factor;
    uses.half[1] *= factor;
  }
  for (stretch_uses& uses : known.when) uses.uses *= factor;
  std::erase_if(known.users, [](const thread_uses& uses) { return uses.all() < forgotten; });
  std::erase_if(known.when, [](const stretch_uses& uses) { return uses.uses < forgotten; });
}

void seen_uses::add(page_number page, std::uint32_t thread, double weight) {
  threads_ = std::max<std::size_t>(threads_, thread + 1);
  record& known = pages_[page.value];
  thread_uses use{thread, {}};
  use.half[stretch_ % 2] = weight;
  const bool room = known.fresh.size() < most_users;
  const bool is_known =
      std::any_of(known.fresh.begin(), known.fresh.end(),
                  [thread](const thread_uses& other) { return other.thread == thread; });
  if (room || is_known) add_uses(known.fresh, use);
}

void seen_uses::end_stretch() {
  std::map<std::uint32_t, thread_share> seen;
  pages_.for_each([&](std::uint64_t, record& known) {
    if (known.fresh.empty()) return;
    const double share = std::min(1.0, most_of_stretch / all_of(known.fresh));
    double sum = 0;
    for (thread_uses& uses : known.fresh) {
      uses.half[0] *= share;
      uses.half[1] *= share;
      sum += uses.all();
      add_uses(known.users, uses);
    }
    const bool is_shared = !is_one_threads(known.users);
    for (const thread_uses& uses : known.fresh) {
      thread_share& thread = seen[uses.thread];
      thread.uses += uses.all();
      thread.of_shared += is_shared ? uses.all() : 0;
    }
    add_uses(known.when, stretch_uses{stretch_, sum});
    known.latest = std::exchange(known.fresh, {});
    known.latest_until = stretch_ + 1;
    if (all_of(known.users) > most_uses) scale(known, 0.5);
  });
  stretch_of_time over{stretch_++, {}};
  for (const auto& [thread, uses] : seen) {
    over.threads.push_back({thread, uses.uses, uses.of_shared});
  }
  stretches_.push_back(std::move(over));
  if (stretches_.size() > most_stretches) stretches_.pop_front();
}

void seen_uses::age(double factor) {
  flat_table<record> kept;
  pages_.for_each([&](std::uint64_t page, record& known) {
    scale(known, factor);
    if (!known.users.empty() || !known.fresh.empty()) kept[page] = std::move(known);
  });
  pages_ = std::move(kept);
}

std::vector<memory_unit> seen_uses::pages() const {
  std::vector<memory_unit> all;
  all.reserve(pages_.size());
  pages_.for_each([&](std::uint64_t page, const record& known) {
    if (known.users.empty()) return;
    const bool used_lately = known.latest_until == stretch_;
    all.push_back({page_number(page), page_bytes, page_number(page), known.users, known.when,
                   used_lately ? known.latest : std::vector<thread_uses>{}});
  });
  std::sort(all.begin(), all.end(),
            [](const memory_unit& a, const memory_unit& b) { return a.page < b.page; });
  return all;
}

std::vector<std::uint64_t> seen_uses::bytes_used() const {
  std::vector<std::uint64_t> bytes(threads_, 0);
  pages_.for_each([&](std::uint64_t, const record& known) {
    for (const thread_uses& uses : known.users) bytes[uses.thread] += page_bytes;
  });
  return bytes;
}

sharing_matrix sharing_of(const std::vector<memory_unit>& units,
                          std::span<const std::uint32_t> threads, std::size_t half) {
  std::unordered_map<std::uint32_t, std::size_t> row_of;
  for (std::size_t t = 0; t < threads.size(); ++t) row_of.emplace(threads[t], t);
  sharing_matrix sharing(threads.size());
  std::vector<std::pair<std::size_t, double>> users;  // row, uses
  for (const memory_unit& unit : units) {
    users.clear();
    for (const thread_uses& uses : unit.users) {
      const auto row = row_of.find(uses.thread);
      if (row == row_of.end() || uses.half[half] <= 0) continue;
      for (const auto& [other, used] : users) {
        const double both = std::min(uses.half[half], used);
        sharing.add(row->second, other, both);
        sharing.add(other, row->second, both);
      }
      users.emplace_back(row->second, uses.half[half]);
    }
  }
  return sharing;
}

}  // namespace numatch::control
