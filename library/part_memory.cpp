// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/part_memory.hpp"

namespace numatch {
inline namespace numa_v1 {

part_memory::part_memory(const runtime& nodes, std::size_t node)
    : pages_(std::make_unique<node_resource>(nodes.machine(), node, nodes.memory_rules())),
      pool_(std::make_unique<std::pmr::synchronized_pool_resource>(pages_.get())) {}

}  // namespace numa_v1
}  // namespace numatch
