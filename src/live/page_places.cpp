// SPDX-License-Identifier: Apache-2.0
#include "live/page_places.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "live/sensor.hpp"

namespace numatch::live {

std::vector<std::optional<unsigned>> places_of_pages(pid_t process,
                                                     std::span<const page_number> pages) {
  std::vector<std::optional<unsigned>> places(pages.size());
  std::vector<void*> addresses;
  for (const page_number page : pages) {
    addresses.push_back(reinterpret_cast<void*>(page.value * sensed_page_bytes));
  }
  // Negative: the page's own error.
  std::vector<int> answers(pages.size(), -1);
  const long done = ::syscall(SYS_move_pages, process, pages.size(), addresses.data(), nullptr,
                              answers.data(), 0);
  if (done != 0) return places;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] >= 0) places[i] = static_cast<unsigned>(answers[i]);
  }
  return places;
}

}  // namespace numatch::live
