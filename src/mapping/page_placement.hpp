// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mapping/mapper.hpp"
#include "pattern/profile.hpp"

namespace numatch {

/// What the operating system can be asked for a whole process before it starts.
enum class page_policy {
  local,      ///< a page lies on the node of the thread that touches it first (Linux' default)
  interleave  ///< pages go to the nodes in turn
};
std::string_view to_string(page_policy policy);

/// Contiguous pages with the same best node.
struct placed_run {
  page_number first_page;
  std::uint64_t pages = 0;
  node_id node;
  friend bool operator==(const placed_run&, const placed_run&) = default;
};

/// Where the pages of a profile belong once its threads are mapped. Shares are of all accesses in
/// the profile's page use, 0..1; 1 where there are none.
struct page_placement {
  std::uint64_t page_bytes = 4096;
  std::vector<placed_run> runs;              ///< sorted by first page
  std::vector<std::uint64_t> pages_on_node;  ///< of runs
  double local_mapped = 1;                   ///< every page on the node that uses it most
  double local_first_touch = 1;              ///< every page where its first thread runs
  double local_interleave = 1;               ///< pages in turn on the nodes of the threads
  page_policy policy = page_policy::local;   ///< the better of the two for the whole process
};

/// The node of a page is the one whose threads access it most, summed over all time windows; on a
/// tie first touch decides, then the lower node. The first thread of a page is the one with the
/// lowest number in the first window that uses it: a profile does not keep the order inside a
/// window. Threads without a place in the mapping do not count.
page_placement place_pages(const profile& learned, const thread_mapping& mapping,
                           const topology& machine);

}  // namespace numatch
