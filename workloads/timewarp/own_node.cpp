// SPDX-License-Identifier: Apache-2.0
#include "timewarp/own_node.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "common/annotations.hpp"
#include "common/pages.hpp"

namespace timewarp {

namespace {

constexpr int move_pages_of_this_process_only = 1 << 1;  // MPOL_MF_MOVE

bool linux_should_move() {
  // A capture asks for the moves of the machine that will be simulated, not of this one.
  static const bool moves = std::getenv("NUMATCH_SESSION") == nullptr &&
                            ::access("/sys/devices/system/node/node1", F_OK) == 0;
  return moves;
}

}  // namespace

std::size_t move_to_own_node(void* address, std::size_t bytes) {
  NUMATCH_PLACE_HERE(address, bytes);
  unsigned node = 0;
  if (!linux_should_move() || ::syscall(SYS_getcpu, nullptr, &node, nullptr) != 0) return 0;
  std::vector<void*> pages;
  for (std::size_t at = 0; at < bytes; at += workload::page_bytes) {
    pages.push_back(static_cast<unsigned char*>(address) + at);
  }
  const std::vector<int> wanted(pages.size(), static_cast<int>(node));
  std::vector<int> status(pages.size(), -1);
  if (::syscall(SYS_move_pages, 0, pages.size(), pages.data(), wanted.data(), status.data(),
                move_pages_of_this_process_only) < 0) {
    return 0;
  }
  std::size_t there = 0;
  for (const int now : status) there += now == static_cast<int>(node) ? 1 : 0;
  return there;
}

}  // namespace timewarp
