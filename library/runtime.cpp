// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/runtime.hpp"

#include <numeric>
#include <string>

#include "numatch/numa/part_failures.hpp"
#include "numatch/numa/part_memory.hpp"

namespace numatch {
inline namespace numa_v1 {

parts_failed::parts_failed(std::vector<failure> failures)
    : std::runtime_error(std::to_string(failures.size()) + " parts failed, the first is part " +
                         std::to_string(failures.front().part)),
      failures_(std::move(failures)) {}

struct runtime::node_memory : part_memory {
  using part_memory::part_memory;
};

runtime::runtime(topology machine, runtime_options options)
    : machine_(std::move(machine)), options_(options), all_(machine_.size()) {
  std::iota(all_.begin(), all_.end(), std::size_t{0});
  for (const std::size_t node : all_) {
    memory_.push_back(std::make_unique<node_memory>(*this, node));
  }
  executor_ = options_.run_by == backend::arenas ? make_arenas(machine_, options_.execution)
                                                 : make_pinned_pool(machine_, options_.execution);
}

runtime::~runtime() = default;

std::pmr::memory_resource* runtime::memory(std::size_t node) {
  return &memory_[node]->resource();
}

void runtime::for_nodes(std::span<const std::size_t> nodes, function_ref<void(std::size_t)> f) {
  part_failures failures(size());
  executor_->run(nodes, [&](std::size_t node) { failures.guard(node, [&] { f(node); }); });
  failures.rethrow();
}

void runtime::for_each_here(std::size_t count, std::size_t grain,
                            function_ref<void(std::size_t)> f) {
  const std::size_t pieces = (count + grain - 1) / grain;
  part_failures failures(pieces);
  executor_->share(count, grain, [&](std::size_t first, std::size_t end) {
    failures.guard(first / grain, [&] {
      for (std::size_t i = first; i < end; ++i) f(i);
    });
  });
  failures.rethrow();
}

}  // namespace numa_v1
}  // namespace numatch
