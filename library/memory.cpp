// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/memory.hpp"

#include <algorithm>
#include <cstdint>

#include "kernel_memory.hpp"
#include "numatch/annotate.h"

namespace numatch {
inline namespace numa_v1 {

node_resource::node_resource(const topology& machine, std::size_t node, memory_options options)
    : machine_(machine), options_(options), node_(node) {}

node_resource::~node_resource() {
  for (const auto& [at, mapped] : blocks_) {
    unmap_pages(static_cast<std::byte*>(at) - mapped.lead, mapped.bytes);
  }
}

std::size_t node_resource::node() const {
  const std::lock_guard<std::mutex> held(lock_);
  return node_;
}

std::size_t node_resource::bytes() const {
  const std::lock_guard<std::mutex> held(lock_);
  return bytes_;
}

std::string node_resource::problem() const {
  const std::lock_guard<std::mutex> held(lock_);
  return problem_;
}

placement node_resource::where() const {
  const std::lock_guard<std::mutex> held(lock_);
  placement sum;
  for (const auto& [at, mapped] : blocks_) {
    add_placement(sum, {static_cast<const std::byte*>(at) - mapped.lead, mapped.bytes});
  }
  return sum;
}

void node_resource::put_on_node(void* at, std::size_t bytes, bool move) {
  const std::string refused =
      place_on(machine_, node_, static_cast<std::byte*>(at), bytes, options_.rule, move);
  if (!refused.empty()) problem_ = refused;
}

void node_resource::migrate(std::size_t node) {
  const std::lock_guard<std::mutex> held(lock_);
  node_ = node;
  for (const auto& [at, mapped] : blocks_) {
    put_on_node(static_cast<std::byte*>(at) - mapped.lead, mapped.bytes, true);
  }
}

void* node_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  const bool large = bytes >= huge_page_bytes && options_.pages != page_kind::base;
  const std::size_t natural = large ? huge_page_bytes : page_bytes();
  // A mapping begins at a page, so what wants more than that needs room to move up.
  const std::size_t aligned = std::max(alignment, natural);
  const std::size_t room = aligned > page_bytes() ? aligned : 0;
  if (bytes > SIZE_MAX - 2 * aligned) throw std::bad_alloc();
  std::size_t mapped = round_up(bytes, natural) + room;
  std::byte* base = nullptr;
  std::string problem;
  if (large && options_.pages == page_kind::huge && alignment <= huge_page_bytes) {
    mapped = round_up(bytes, huge_page_bytes);
    base = map_pages(mapped, page_kind::huge);
    if (base == nullptr) {
      problem = "no huge pages are free (vm.nr_hugepages), usual ones are used";
      mapped += room;
    }
  }
  if (base == nullptr) {
    base = map_pages(mapped,
                     options_.pages == page_kind::base ? page_kind::base : page_kind::transparent);
  }
  if (base == nullptr) throw std::bad_alloc();
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(base);
  const std::size_t lead = round_up(first, aligned) - first;

  const std::lock_guard<std::mutex> held(lock_);
  if (!problem.empty()) problem_ = problem;
  put_on_node(base, mapped, false);
  blocks_.emplace(base + lead, block{mapped, lead});
  bytes_ += mapped;
  return base + lead;
}

void node_resource::do_deallocate(void* at, std::size_t, std::size_t) {
  const std::lock_guard<std::mutex> held(lock_);
  const std::map<void*, block>::iterator found = blocks_.find(at);
  bytes_ -= found->second.bytes;
  unmap_pages(static_cast<std::byte*>(at) - found->second.lead, found->second.bytes);
  blocks_.erase(found);
}

void* interleaved_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment > page_bytes() || bytes > SIZE_MAX - page_bytes()) throw std::bad_alloc();
  const std::size_t mapped = std::max(round_up(bytes, page_bytes()), page_bytes());
  std::byte* const base = map_pages(mapped, page_kind::base);
  if (base == nullptr) throw std::bad_alloc();
  if (machine_.size() == 1) return base;
  std::vector<unsigned> memories;
  for (const topology_node& node : machine_.nodes()) {
    if (node.memory) memories.push_back(*node.memory);
  }
  // A refusal leaves ordinary memory, as everywhere.
  if (memories.size() == machine_.size()) interleave_pages(base, mapped, memories);
  for (std::size_t page = 0; page * page_bytes() < mapped; ++page) {
    NUMATCH_PLACE(base + page * page_bytes(), page_bytes(), page % machine_.size());
  }
  return base;
}

void interleaved_resource::do_deallocate(void* at, std::size_t bytes, std::size_t) {
  unmap_pages(static_cast<std::byte*>(at), std::max(round_up(bytes, page_bytes()), page_bytes()));
}

placement placement_of(std::span<const std::byte> memory) {
  placement sum;
  add_placement(sum, memory);
  return sum;
}

std::optional<unsigned> node_of(const void* byte) {
  const placement one = placement_of({static_cast<const std::byte*>(byte), 1});
  if (one.bytes_on.empty()) return std::nullopt;
  return one.bytes_on.begin()->first;
}

}  // namespace numa_v1
}  // namespace numatch
