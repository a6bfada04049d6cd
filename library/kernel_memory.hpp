// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "numatch/numa/memory.hpp"

namespace numatch {
inline namespace numa_v1 {

std::size_t page_bytes();
inline std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Fresh anonymous memory, whole pages; null when the system has none. With page_kind::huge null
/// also when no huge pages are free; `bytes` is then to be a multiple of huge_page_bytes.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
std::byte* map_pages(std::size_t bytes, page_kind pages);
void unmap_pages(std::byte* at, std::size_t bytes);

/// Puts whole pages on a node of the operating system; `move`: also those that are elsewhere
/// already. Empty, or why not.
std::string bind_pages(std::byte* at, std::size_t bytes, unsigned os_node, placement_rule rule,
                       bool move);
std::string interleave_pages(std::byte* at, std::size_t bytes, std::span<const unsigned> os_nodes);
/// Adds where some bytes are.
void add_placement(placement& sum, std::span<const std::byte> memory);

/// Places a block of a topology's node, and tells a trace that listens (NUMATCH_PLACE) which node
/// of the topology it was. Empty, or why the kernel did not do it.
std::string place_on(const topology& machine, std::size_t node, std::byte* at, std::size_t bytes,
                     placement_rule rule, bool move);

}  // namespace numa_v1
}  // namespace numatch
