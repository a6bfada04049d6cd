// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>

#include "numatch/numa/memory.hpp"
#include "numatch/numa/runtime.hpp"

namespace numatch {
inline namespace numa_v1 {

/// The memory of one part of a data structure: its pages hold nothing else, so they can move to
/// another node together. For objects of any size; thread safe.
class part_memory {
 public:
  /// On node `node`.
  part_memory(const runtime& nodes, std::size_t node);
  /// For what the part holds.
  std::pmr::memory_resource& resource() { return *pool_; }
  /// The node that it belongs to.
  std::size_t node() const { return pages_->node(); }
  /// Where its pages are now.
  placement where() const { return pages_->where(); }
  /// Moves all its pages to another node; no pointer changes.
  void migrate(std::size_t node) { pages_->migrate(node); }

 private:
  std::unique_ptr<node_resource> pages_;
  std::unique_ptr<std::pmr::synchronized_pool_resource> pool_;
};

}  // namespace numa_v1
}  // namespace numatch
