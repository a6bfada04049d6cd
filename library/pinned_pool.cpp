// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "node_binding.hpp"
#include "node_queue.hpp"
#include "numatch/numa/executor.hpp"

namespace numatch {
inline namespace numa_v1 {

namespace {

class pinned_pool : public executor {
 public:
  pinned_pool(const topology& machine, executor_options options)
      : machine_(machine), options_(options) {
    for (std::size_t node = 0; node < machine_.size(); ++node) {
      queues_.push_back(std::make_unique<node_queue>());
    }
    for (std::size_t node = 0; node < machine_.size(); ++node) {
      // With one node the caller works, too.
      const std::size_t others = threads(node) - (machine_.size() == 1 ? 1 : 0);
      for (std::size_t i = 0; i < others; ++i) {
        threads_.emplace_back([this, node] { work_on(node); });
      }
    }
  }

  ~pinned_pool() override {
    for (const std::unique_ptr<node_queue>& queue : queues_) queue->close();
    for (std::thread& thread : threads_) thread.join();
  }

  std::size_t size() const override { return machine_.size(); }
  std::size_t threads(std::size_t node) const override {
    return options_.threads_per_node > 0 ? options_.threads_per_node : machine_[node].cpus.size();
  }
  std::size_t here() const override { return current_task::node_in(this); }

  void run(std::span<const std::size_t> nodes, function_ref<void(std::size_t)> task) override {
    if (size() == 1) {
      if (!nodes.empty()) run_here(0, task);
      return;
    }
    const bool inside = current_task::of(this);
    const std::size_t home = here();
    const bool own = inside && std::find(nodes.begin(), nodes.end(), home) != nodes.end();
    const std::shared_ptr<open_calls> calls =
        std::make_shared<open_calls>(nodes.size() - (own ? 1 : 0));
    for (const std::size_t node : nodes) {
      if (!own || node != home) queues_[node]->push({task, calls});
    }
    if (own) run_here(home, task);
    if (inside) {
      // Whoever waits inside a task must go on serving its node: the others may wait for it.
      while (!calls->all_done()) {
        if (!work_once(home)) std::this_thread::yield();
      }
    } else {
      calls->wait();
    }
  }

  void share(std::size_t count, std::size_t grain,
             function_ref<void(std::size_t, std::size_t)> piece) override {
    if (count == 0) return;
    shared_range range(count, grain, piece);
    if (count <= grain || !current_task::of(this) || (threads(here()) == 1 && !steals())) {
      range.work();
      return;
    }
    const node_queue::offer offered(*queues_[here()], range);
    if (steals()) {
      for (const std::unique_ptr<node_queue>& queue : queues_) queue->wake();
    }
    range.work();
  }

 private:
  bool steals() const { return options_.steal == stealing::any; }

  void run_here(std::size_t node, function_ref<void(std::size_t)> task) {
    const current_task inside(this, node);
    task(node);
  }

  bool work_once(std::size_t node) {
    const current_task inside(this, node);
    return queues_[node]->work_once(node, true);
  }

  /// Helps another node with a range, on behalf of that node.
  bool steal(std::size_t node) {
    for (std::size_t step = 1; step < size(); ++step) {
      const std::size_t other = (node + step) % size();
      const current_task inside(this, other);
      if (queues_[other]->work_once(other, false)) return true;
    }
    return false;
  }

  void work_on(std::size_t node) {
    const node_binding bound(machine_, node);
    node_queue& own = *queues_[node];
    while (!own.closed()) {
      const std::size_t seen = own.version();
      if (work_once(node) || (steals() && steal(node))) continue;
      own.wait_for_change(seen);
    }
  }

  const topology machine_;
  const executor_options options_;
  std::vector<std::unique_ptr<node_queue>> queues_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<executor> make_pinned_pool(const topology& machine, executor_options options) {
  return std::make_unique<pinned_pool>(machine, options);
}

}  // namespace numa_v1
}  // namespace numatch
