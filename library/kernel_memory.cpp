// SPDX-License-Identifier: Apache-2.0
#include "kernel_memory.hpp"

#include <numaif.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "numatch/annotate.h"

namespace numatch {
inline namespace numa_v1 {

namespace {

constexpr unsigned most_nodes = 1024;
using node_mask = std::array<unsigned long, most_nodes / (8 * sizeof(unsigned long))>;

node_mask mask_of(std::span<const unsigned> os_nodes) {
  node_mask mask{};
  constexpr unsigned bits = 8 * sizeof(unsigned long);
  for (const unsigned node : os_nodes) mask[node / bits] |= 1UL << (node % bits);
  return mask;
}

std::string mbind_pages(std::byte* at, std::size_t bytes, int policy,
                        std::span<const unsigned> os_nodes, unsigned flags) {
  if (std::any_of(os_nodes.begin(), os_nodes.end(),
                  [](unsigned node) { return node >= most_nodes; })) {
    return "the node's number is too large";
  }
  const node_mask mask = mask_of(os_nodes);
  // The kernel reads one bit less than it is told.
  if (mbind(at, bytes, policy, mask.data(), most_nodes + 1, flags) == 0) return {};
  return std::string("mbind: ") + std::strerror(errno);
}

}  // namespace

std::size_t page_bytes() {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::byte* map_pages(std::size_t bytes, page_kind pages) {
  const int huge = pages == page_kind::huge ? MAP_HUGETLB : 0;
  void* const at =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | huge, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  // A wish: a kernel without huge pages serves the usual ones.
  if (pages == page_kind::transparent) madvise(at, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(at);
}

void unmap_pages(std::byte* at, std::size_t bytes) {
  munmap(at, bytes);
}

std::string bind_pages(std::byte* at, std::size_t bytes, unsigned os_node, placement_rule rule,
                       bool move) {
  return mbind_pages(at, bytes, rule == placement_rule::bind ? MPOL_BIND : MPOL_PREFERRED,
                     std::span(&os_node, 1), move ? MPOL_MF_MOVE : 0);
}

std::string interleave_pages(std::byte* at, std::size_t bytes, std::span<const unsigned> os_nodes) {
  return mbind_pages(at, bytes, MPOL_INTERLEAVE, os_nodes, 0);
}

void add_placement(placement& sum, std::span<const std::byte> memory) {
  if (memory.empty()) return;
  const std::uintptr_t page = page_bytes();
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t end = begin + memory.size();
  constexpr std::size_t batch = 1024;
  std::array<void*, batch> pages{};
  std::array<int, batch> node{};
  for (std::uintptr_t at = begin / page * page; at < end;) {
    std::size_t count = 0;
    for (std::uintptr_t next = at; next < end && count < batch; next += page) {
      pages[count++] = reinterpret_cast<void*>(next);
    }
    const bool told = move_pages(0, count, pages.data(), nullptr, node.data(), 0) == 0;
    for (std::size_t i = 0; i < count; ++i, at += page) {
      const std::size_t bytes = std::min(end, at + page) - std::max(begin, at);
      if (told && node[i] >= 0) {
        sum.bytes_on[static_cast<unsigned>(node[i])] += bytes;
      } else if (told && (node[i] == -ENOENT || node[i] == -EFAULT)) {
        sum.untouched += bytes;  // EFAULT: the page of zeros, which is on no node of its own
      } else {
        sum.unknown += bytes;
      }
    }
  }
}

std::string place_on(const topology& machine, std::size_t node, std::byte* at, std::size_t bytes,
                     placement_rule rule, bool move) {
  if (machine.size() == 1) return {};
  NUMATCH_PLACE(at, bytes, node);
  const std::optional<unsigned> memory = machine[node].memory;
  return memory ? bind_pages(at, bytes, *memory, rule, move) : std::string();
}

}  // namespace numa_v1
}  // namespace numatch
