// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mechanism/event_matrix.hpp"

// The equations of MVAS as plain functions (section IV).

namespace numatch::mvas {

/// One element n_j of a page's access-count tuple (Eq. 1); threads that did not use the page have
/// none.
struct thread_count {
  std::uint32_t thread = 0;
  std::uint32_t count = 0;
};

/// M_i: the highest count of the tuple; 0 for an empty one.
std::uint32_t highest_count(std::span<const thread_count> tuple);

/// Eq. 2 and the first line of Eq. 3: the mean of both threads' relative access frequencies,
/// (a / highest + b / highest) / 2, and 0 when either count is 0.
double pair_frequency(std::uint32_t a, std::uint32_t b, std::uint32_t highest);

/// Eq. 3 and 4 for one page: adds what is greater than alpha to (l, m) and (m, l).
void add_page(std::span<const thread_count> tuple, double alpha, event_matrix& access_matrix);

/// Among threads with the same highest count: the lowest one, or none in particular as long as the
/// page lies with one of them.
enum class page_tie : std::uint8_t { lower, stay };

/// m_i: the thread whose node the page goes to. `near(thread)` says whether the page lies on the
/// thread's node; nullopt: it stays where it is. The tuple is in the order of threads and not
/// empty.
template <class Near>
std::optional<std::uint32_t> owner_of(std::span<const thread_count> tuple, page_tie tie,
                                      const Near& near) {
  const std::uint32_t highest = highest_count(tuple);
  std::optional<std::uint32_t> first;
  for (const thread_count& t : tuple) {
    if (t.count != highest) continue;
    if (tie == page_tie::stay && near(t.thread)) return std::nullopt;
    if (!first) first = t.thread;
  }
  return first;
}

}  // namespace numatch::mvas
