// SPDX-License-Identifier: Apache-2.0
#include "control/joined_program.hpp"

#include <algorithm>
#include <set>

namespace numatch::control {

namespace {

// A joined number has 52 bits, as a use's address has 64: the member above 45 bits, which hold any
// page of a process; or the highest bit, the object and 33 bits of offset, 32 TiB.
constexpr unsigned member_shift = 45;
constexpr unsigned object_shift = 33;
constexpr std::uint64_t object_bit = std::uint64_t{1} << 51;
constexpr std::uint64_t most_objects = std::uint64_t{1} << (51 - object_shift);
constexpr std::uint64_t offsets = std::uint64_t{1} << object_shift;

}  // namespace

joined_program::joined_program(std::vector<member> members)
    : members_(std::move(members)), shared_(members_.size()) {}

page_number joined_program::joined_page(std::size_t of, page_number own) const {
  const std::vector<shared_range>& ranges = shared_[of];
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), own.value,
                       [](std::uint64_t page, const shared_range& r) { return page < r.first; });
  if (after != ranges.begin()) {
    const shared_range& range = *(after - 1);
    if (own.value < range.first + range.pages)
      return page_number(range.joined + (own.value - range.first));
  }
  return page_number(std::uint64_t{of} << member_shift | own.value);
}

std::vector<joined_program::own_page> joined_program::places_of(page_number page) const {
  if ((page.value & object_bit) == 0) {
    const std::uint64_t own = page.value & ((std::uint64_t{1} << member_shift) - 1);
    return {{page.value >> member_shift, page_number(own)}};
  }
  std::vector<own_page> places;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const shared_range& range : shared_[m]) {
      if (page.value < range.joined || page.value >= range.joined + range.pages) continue;
      places.push_back({m, page_number(range.first + (page.value - range.joined))});
      break;
    }
  }
  return places;
}

/// Each page as the first member knows it that has it in its page table.
result<std::vector<std::optional<joined_program::found_page>>> joined_program::find(
    std::span<const page_number> pages) {
  std::vector<std::optional<found_page>> found(pages.size());
  std::vector<std::vector<own_page>> places;
  places.reserve(pages.size());
  for (const page_number page : pages) places.push_back(places_of(page));
  for (std::size_t m = 0; m < members_.size(); ++m) {
    std::vector<page_number> own;
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      if (found[i]) continue;
      for (const own_page& place : places[i]) {
        if (place.member != m) continue;
        own.push_back(place.page);
        at.push_back(i);
      }
    }
    if (own.empty()) continue;
    const result<std::vector<std::optional<node_id>>> nodes = members_[m].program->nodes_of(own);
    if (!nodes) {
      // One that has ended takes nothing from the others.
      if (members_[m].program->threads().empty()) continue;
      return tl::unexpected(nodes.error());
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      if ((*nodes)[i]) found[at[i]] = found_page{{m, own[i]}, *(*nodes)[i]};
    }
  }
  return found;
}

std::vector<managed_thread> joined_program::threads() {
  std::vector<managed_thread> all;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (managed_thread& thread : members_[m].program->threads()) {
      belongs(thread.task, m);
      all.push_back(std::move(thread));
    }
  }
  return all;
}

managed_program* joined_program::program_of(pid_t task) {
  const auto known = member_of_.find(task);
  return known == member_of_.end() ? nullptr : members_[known->second].program;
}

std::optional<managed_thread> joined_program::thread(pid_t task) {
  managed_program* const program = program_of(task);
  return program == nullptr ? std::nullopt : program->thread(task);
}

void joined_program::welcome(pid_t task) {
  if (managed_program* const program = program_of(task)) program->welcome(task);
}

result<std::vector<std::optional<node_id>>> joined_program::nodes_of(
    std::span<const page_number> pages) {
  const result<std::vector<std::optional<found_page>>> found = find(pages);
  if (!found) return tl::unexpected(found.error());
  std::vector<std::optional<node_id>> nodes;
  for (const std::optional<found_page>& page : *found) {
    nodes.push_back(page ? std::optional(page->node) : std::nullopt);
  }
  return nodes;
}

std::vector<node_id> joined_program::page_targets() {
  std::vector<node_id> common;
  bool first = true;
  for (const member& each : members_) {
    const std::vector<node_id> targets = each.program->page_targets();
    if (targets.empty()) continue;  // it has ended
    if (std::exchange(first, false)) {
      common = targets;
      continue;
    }
    std::erase_if(common, [&](node_id node) {
      return std::find(targets.begin(), targets.end(), node) == targets.end();
    });
  }
  return common;
}

result<void> joined_program::look_at_memory() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (result<void> r = members_[m].program->look_at_memory(); !r) return r;
    shared_[m].clear();
    const result<std::vector<live::mapped_range>> mappings = members_[m].mappings();
    if (!mappings) continue;  // it has ended
    for (const live::mapped_range& range : *mappings) {
      if (!range.shared || range.inode == 0) continue;
      const std::uint64_t offset = range.offset / live::sensed_page_bytes;
      const std::uint64_t pages = (range.end - range.first) / live::sensed_page_bytes;
      const auto object =
          objects_.try_emplace({range.device, range.inode}, objects_.size()).first->second;
      if (object >= most_objects || offset + pages > offsets) continue;
      shared_[m].push_back({range.first / live::sensed_page_bytes, pages,
                            (object_bit | object << object_shift) + offset});
    }
  }
  return {};
}

bool joined_program::is_huge(page_number page) const {
  for (const own_page& place : places_of(page)) {
    if (members_[place.member].program->is_huge(place.page)) return true;
  }
  return false;
}

bool joined_program::may_move(page_number page) const {
  for (const own_page& place : places_of(page)) {
    if (!members_[place.member].program->may_move(place.page)) return false;
  }
  return true;
}

live::binding joined_program::bind(pid_t task, node_id node) {
  managed_program* const program = program_of(task);
  return program == nullptr ? live::binding::gone : program->bind(task, node);
}

void joined_program::release(pid_t task) {
  if (managed_program* const program = program_of(task)) program->release(task);
}

void joined_program::move_pages(std::span<const planned_page> pages) {
  std::vector<page_number> numbers;
  for (const planned_page& page : pages) numbers.push_back(page.page);
  const result<std::vector<std::optional<found_page>>> found = find(numbers);
  if (!found) return;
  std::vector<std::vector<planned_page>> by_member(members_.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (!(*found)[i]) continue;
    const own_page& where = (*found)[i]->where;
    by_member[where.member].push_back({where.page, pages[i].bytes, pages[i].from, pages[i].to});
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m].program->move_pages(by_member[m]);
  }
}

bool joined_program::pages_wait() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const member& each) { return each.program->pages_wait(); });
}

std::vector<planned_page> joined_program::take_moved_pages() {
  std::vector<planned_page> moved;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (planned_page page : members_[m].program->take_moved_pages()) {
      page.page = joined_page(m, page.page);
      moved.push_back(page);
    }
  }
  return moved;
}

void member_sink::on_use(const live::sensed_use& use) {
  live::sensed_use joined = use;
  const page_number page(use.address / live::sensed_page_bytes);
  joined.address = program_.joined_page(member_, page).value * live::sensed_page_bytes +
                   use.address % live::sensed_page_bytes;
  program_.belongs(use.task, member_);
  client_.on_use(joined);
}

void member_sink::on_task_start(pid_t task, std::uint64_t time) {
  program_.belongs(task, member_);
  client_.on_task_start(task, time);
}

void member_sink::on_task_end(pid_t task, std::uint64_t time) {
  client_.on_task_end(task, time);
  program_.ended(task);
}

}  // namespace numatch::control
