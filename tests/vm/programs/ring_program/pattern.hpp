// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ring_program/options.hpp"

namespace ring {

/// Regions 0 .. threads - 1 are private, threads .. 2 * threads - 1 shared. They lie one after the
/// other; pages are numbered through all of them.
struct layout {
  unsigned threads = 0;
  std::size_t private_pages = 0;
  std::size_t shared_pages = 0;

  std::size_t regions() const { return std::size_t{2} * threads; }
  bool is_private(std::size_t region) const { return region < threads; }
  std::size_t pages_of(std::size_t region) const {
    return is_private(region) ? private_pages : shared_pages;
  }
  std::size_t first_page_of(std::size_t region) const {
    return is_private(region) ? region * private_pages
                              : threads * private_pages + (region - threads) * shared_pages;
  }
  std::size_t pages() const { return threads * (private_pages + shared_pages); }
};

layout layout_of(const options& chosen);

/// After SIGUSR2, threads share with the one on the other side instead of their neighbour.
constexpr unsigned phases = 2;

/// The threads that use a region in a phase, the one that touches it first in front.
std::vector<unsigned> users_of(const options& chosen, std::size_t region, unsigned phase);

/// The pages that a thread uses in a phase, ascending.
std::vector<std::size_t> pages_of_thread(const options& chosen, unsigned thread, unsigned phase);

}  // namespace ring
