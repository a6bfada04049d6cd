// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numatch/numa/topology.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Which pages a node_resource takes.
enum class page_kind : std::uint8_t {
  base,         ///< the usual ones
  transparent,  ///< the usual ones, joined by the kernel where it can (MADV_HUGEPAGE)
  huge          ///< reserved huge pages (MAP_HUGETLB); the usual ones where none are free
};

/// What happens when the node is full.
enum class placement_rule : std::uint8_t {
  prefer,  ///< the nearest other node serves (MPOL_PREFERRED)
  bind     ///< the program is ended by the kernel rather than served elsewhere (MPOL_BIND)
};

/// How memory is taken for a node.
struct memory_options {
  page_kind pages = page_kind::base;             ///< size of pages
  placement_rule rule = placement_rule::prefer;  ///< when the node is full
};

/// Bytes of some memory by the NUMA node of the operating system that they are on.
struct placement {
  std::map<unsigned, std::size_t> bytes_on;  ///< by the number of the node
  std::size_t untouched = 0;                 ///< no page there yet
  std::size_t unknown = 0;  ///< the kernel does not tell (a container may forbid move_pages)
};

/// Memory of one node, in whole pages: every allocation is its own mapping. Put a pool on top of it
/// for small objects, as runtime does. Thread safe.
///
/// It works everywhere: where the kernel refuses a policy (a container, a machine with one node)
/// the memory is ordinary memory and problem() says why.
class node_resource : public std::pmr::memory_resource {
 public:
  /// Memory of node `node` of the machine.
  node_resource(const topology& machine, std::size_t node, memory_options options = {});
  ~node_resource() override;
  node_resource(const node_resource&) = delete;
  node_resource& operator=(const node_resource&) = delete;

  std::size_t node() const;   ///< which its memory belongs to
  std::size_t bytes() const;  ///< mapped now
  /// Where its pages are now (move_pages).
  placement where() const;
  /// From now on its memory belongs to another node; what is mapped moves there, and no pointer
  /// changes. Pages that could not be moved are counted by where().
  void migrate(std::size_t node);
  /// Empty, or why memory is not where it should be.
  std::string problem() const;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  void put_on_node(void* at, std::size_t bytes, bool move);

  struct block {
    std::size_t bytes = 0;
    std::size_t lead = 0;  ///< bytes of the mapping before what the user got
  };
  const topology machine_;
  const memory_options options_;
  mutable std::mutex lock_;
  std::size_t node_;
  std::size_t bytes_ = 0;
  std::map<void*, block> blocks_;
  std::string problem_;
};

/// Memory of all nodes in turn, page by page. Thread safe.
class interleaved_resource : public std::pmr::memory_resource {
 public:
  /// Of all nodes of the machine.
  explicit interleaved_resource(const topology& machine) : machine_(machine) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  const topology machine_;
};

/// Where the pages of some bytes are now.
placement placement_of(std::span<const std::byte> memory);
/// The NUMA node of the operating system that a byte is on; nullopt: untouched or not told.
std::optional<unsigned> node_of(const void* byte);

/// Any container of the standard library on one node:
///   std::vector<double, node_allocator<double>> v(node_allocator<double>(rt.memory(1)));
template <class T>
using node_allocator = std::pmr::polymorphic_allocator<T>;

}  // namespace numa_v1
}  // namespace numatch
