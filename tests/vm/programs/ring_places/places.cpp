// SPDX-License-Identifier: Apache-2.0
#include "ring_places/places.hpp"

#include <set>
#include <utility>

namespace ring_places {

namespace {

constexpr std::size_t page_bytes = 4096;

std::set<std::pair<unsigned, unsigned>> partners_in(const report& of) {
  std::set<std::pair<unsigned, unsigned>> pairs;
  for (const auto& [page, uses] : of.uses) {
    for (auto one = uses.begin(); one != uses.end(); ++one) {
      for (auto other = std::next(one); other != uses.end(); ++other) {
        pairs.emplace(one->first, other->first);
      }
    }
  }
  return pairs;
}

void count_local(const std::map<unsigned, std::uint64_t>& uses, int node,
                 const std::map<unsigned, int>& node_of_thread, local_share& into) {
  const auto user = node_of_thread.find(main_user(uses));
  if (user == node_of_thread.end()) return;
  ++into.pages;
  if (user->second == node) ++into.local;
}

}  // namespace

std::vector<std::uintptr_t> pages_of(const report& of) {
  std::vector<std::uintptr_t> pages;
  for (const region& next : of.regions) {
    for (std::size_t page = 0; page < next.pages; ++page) {
      pages.push_back(next.address + page * page_bytes);
    }
  }
  return pages;
}

summary summarise(const report& of, const std::map<std::uintptr_t, int>& node_of_page,
                  const std::map<unsigned, int>& node_of_thread) {
  summary found;
  for (const region& next : of.regions) {
    for (std::size_t number = 0; number < next.pages; ++number) {
      const std::uintptr_t page = next.address + number * page_bytes;
      const int node = node_of_page.at(page);
      ++found.pages_of_node[next.number][node];
      const auto uses = of.uses.find(page);
      if (uses == of.uses.end()) continue;
      count_local(uses->second, node, node_of_thread, found.accessed_pages);
      if (next.is_private) count_local(uses->second, node, node_of_thread, found.private_pages);
    }
  }
  for (const auto& [one, other] : partners_in(of)) {
    const auto first = node_of_thread.find(one);
    const auto second = node_of_thread.find(other);
    if (first == node_of_thread.end() || second == node_of_thread.end()) continue;
    ++found.partners;
    if (first->second == second->second) ++found.together;
  }
  return found;
}

}  // namespace ring_places
