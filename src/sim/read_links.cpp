// SPDX-License-Identifier: Apache-2.0
#include "sim/read_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace numatch::sim {

namespace {

/// A limit of what a busy link can be (sim/calendar.hpp), and beyond any machine.
constexpr unsigned slowest_message = 4096;

}  // namespace

std::vector<unsigned> extents(const std::string& text) {
  std::vector<unsigned> list;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    unsigned extent = 0;
    const auto [rest, problem] = std::from_chars(at, end, extent);
    if (problem != std::errc() || extent == 0 || extent > 64) return {};
    list.push_back(extent);
    if (rest == end) return list;
    if (*rest != 'x') return {};
    at = rest + 1;
  }
}

double transfer_of(unsigned message_bytes, double bytes_per_cycle) {
  return std::ceil(message_bytes / bytes_per_cycle) - 1;
}

void check_width(fact_reader& facts, std::string_view key, const network_config& network,
                 double bytes_per_cycle) {
  const unsigned longest = std::max(network.control_bytes, network.data_bytes);
  if (transfer_of(longest, bytes_per_cycle) < slowest_message) return;
  facts.complain(
      fmt::format("{} is so low that a message takes more than {} cycles", key, slowest_message));
}

}  // namespace numatch::sim
