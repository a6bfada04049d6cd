// SPDX-License-Identifier: Apache-2.0
#include "ring_program/pattern.hpp"

#include <algorithm>
#include <numeric>

namespace ring {

namespace {

unsigned partner_of(const options& chosen, unsigned thread, unsigned phase) {
  if (phase != 0) return (thread + chosen.threads / 2) % chosen.threads;
  return chosen.pattern == sharing::pairs ? thread ^ 1U : (thread + 1) % chosen.threads;
}

}  // namespace

layout layout_of(const options& chosen) {
  return {chosen.threads, chosen.private_pages, chosen.shared_pages};
}

std::vector<unsigned> users_of(const options& chosen, std::size_t region, unsigned phase) {
  if (region < chosen.threads) return {static_cast<unsigned>(region)};
  const unsigned owner = static_cast<unsigned>(region - chosen.threads);
  if (chosen.pattern == sharing::all) {
    std::vector<unsigned> users(chosen.threads);
    std::iota(users.begin(), users.end(), 0U);
    std::swap(users.front(), users[owner]);
    return users;
  }
  const unsigned partner = partner_of(chosen, owner, phase);
  if (partner == owner) return {owner};
  return {owner, partner};
}

std::vector<std::size_t> pages_of_thread(const options& chosen, unsigned thread, unsigned phase) {
  const layout shape = layout_of(chosen);
  std::vector<std::size_t> pages;
  for (std::size_t region = 0; region < shape.regions(); ++region) {
    const std::vector<unsigned> users = users_of(chosen, region, phase);
    if (std::find(users.begin(), users.end(), thread) == users.end()) continue;
    for (std::size_t page = 0; page < shape.pages_of(region); ++page) {
      pages.push_back(shape.first_page_of(region) + page);
    }
  }
  return pages;
}

}  // namespace ring
