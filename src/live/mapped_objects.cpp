// SPDX-License-Identifier: Apache-2.0
#include "live/mapped_objects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "live/sensor.hpp"

namespace numatch::live {

namespace {

data_object described(const mapped_range& range) {
  data_object object;
  object.blocks = 0;
  object.name = range.name;
  object.kind = object_kind::mapping;
  if (range.name == "[heap]") {
    object.kind = object_kind::heap;
    object.name = "heap";
  } else if (range.name.starts_with("[stack")) {
    object.kind = object_kind::stack;
    object.name = "stack of the first thread";
  } else if (range.name.empty()) {
    object.name = fmt::format("anonymous memory at {:#x}", range.first);
  }
  return object;
}

const mapped_range* range_of(std::uint64_t address,
                             const std::map<std::uint64_t, mapped_range>& mappings) {
  auto after = mappings.upper_bound(address);
  if (after == mappings.begin()) return nullptr;
  const mapped_range& range = std::prev(after)->second;
  return address < range.end ? &range : nullptr;
}

void add_uses_of_page(std::span<const page_use> of_page, data_object& object) {
  const auto first = of_page.front().thread;
  const bool shared = std::any_of(of_page.begin(), of_page.end(),
                                  [&](const page_use& use) { return use.thread != first; });
  if (shared) ++object.shared_pages;
  for (const page_use& use : of_page) {
    object.accesses += use.reads + use.writes;
    if (shared) object.shared_accesses[use.thread.value] += use.reads + use.writes;
  }
}

}  // namespace

std::vector<data_object> mapped_objects(std::span<const page_use> uses,
                                        const std::map<std::uint64_t, mapped_range>& mappings) {
  std::map<std::string, data_object> by_name;
  for (const auto& [first, range] : mappings) {
    const data_object fresh = described(range);
    data_object& object = by_name.emplace(fresh.name, fresh).first->second;
    object.bytes += range.end - range.first;
    ++object.blocks;
  }
  for (std::size_t begin = 0; begin < uses.size();) {
    std::size_t end = begin + 1;
    while (end < uses.size() && uses[end].first_page == uses[begin].first_page) ++end;
    const mapped_range* range =
        range_of(uses[begin].first_page.value * sensed_page_bytes, mappings);
    if (range != nullptr) {
      add_uses_of_page(uses.subspan(begin, end - begin), by_name.at(described(*range).name));
    }
    begin = end;
  }
  std::vector<data_object> objects;
  for (const auto& [name, object] : by_name) {
    if (object.accesses != 0) objects.push_back(object);
  }
  std::stable_sort(objects.begin(), objects.end(), [](const data_object& a, const data_object& b) {
    return a.accesses > b.accesses;
  });
  return objects;
}

}  // namespace numatch::live
