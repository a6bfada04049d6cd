// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "ring_places/report_file.hpp"

namespace ring_places {

/// How many of some pages lie on the node of the thread that uses them most.
struct local_share {
  std::size_t local = 0;
  std::size_t pages = 0;
};

struct summary {
  std::map<unsigned, std::map<int, std::size_t>> pages_of_node;  ///< by region, then node
  local_share private_pages;
  local_share accessed_pages;  ///< private ones, too
  std::size_t partners = 0;    ///< pairs of threads that share pages
  std::size_t together = 0;    ///< those on one node
};

/// `node_of_page` and `node_of_thread` say where each of them is; a thread of another process
/// is left out.
summary summarise(const report& of, const std::map<std::uintptr_t, int>& node_of_page,
                  const std::map<unsigned, int>& node_of_thread);

/// The addresses of all pages of all regions.
std::vector<std::uintptr_t> pages_of(const report& of);

}  // namespace ring_places
