// SPDX-License-Identifier: Apache-2.0
#include "mapping/mapper.hpp"

namespace numatch {

namespace {

/// Threads in order on PUs in order; with more threads than PUs, neighbours share a PU.
result<thread_mapping> map_compact(const mapping_request& request) {
  const std::size_t threads = request.sharing.size();
  const std::size_t pus = request.machine.pu_count();
  thread_mapping mapping;
  for (std::size_t t = 0; t < threads; ++t) {
    const std::size_t pu = threads <= pus ? t : t * pus / threads;
    mapping.pu_of.emplace_back(static_cast<std::uint32_t>(pu));
  }
  return mapping;
}

}  // namespace

extern const mapping_algorithm compact_algorithm{
    "compact", "threads in order on PUs in order: neighbours stay close, nodes fill up one by one",
    map_compact};

}  // namespace numatch
