// SPDX-License-Identifier: Apache-2.0
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "node_binding.hpp"
#include "numatch/numa/executor.hpp"
#include "open_calls.hpp"

namespace numatch {
inline namespace numa_v1 {

namespace {

/// Keeps the threads of an arena on a node while they are in it.
class binding_observer : public tbb::task_scheduler_observer {
 public:
  binding_observer(tbb::task_arena& arena, const topology& machine, std::size_t node)
      : tbb::task_scheduler_observer(arena), machine_(machine), node_(node) {
    observe(true);
  }
  ~binding_observer() override { observe(false); }

  void on_scheduler_entry(bool) override {
    bindings().emplace_back(std::make_unique<node_binding>(machine_, node_));
  }
  void on_scheduler_exit(bool) override {
    if (!bindings().empty()) bindings().pop_back();
  }

 private:
  /// Of the calling thread; the arena that it is in last is at the end.
  static std::vector<std::unique_ptr<node_binding>>& bindings() {
    thread_local std::vector<std::unique_ptr<node_binding>> of_thread;
    return of_thread;
  }
  const topology& machine_;
  std::size_t node_;
};

class arena_executor : public executor {
 public:
  arena_executor(const topology& machine, executor_options options)
      : machine_(machine),
        options_(options),
        // oneTBB counts the caller, too.
        control_(tbb::global_control::max_allowed_parallelism, all_threads() + 1) {
    const bool one_for_all = options_.steal == stealing::any || size() == 1;
    for (std::size_t node = 0; node < (one_for_all ? 1 : size()); ++node) {
      const std::size_t slots = one_for_all ? all_threads() : threads(node);
      arenas_.push_back(std::make_unique<tbb::task_arena>(static_cast<int>(slots), 0));
      arenas_.back()->initialize();
      if (!one_for_all) {
        observers_.push_back(std::make_unique<binding_observer>(*arenas_.back(), machine_, node));
      }
    }
  }
  ~arena_executor() override { observers_.clear(); }

  std::size_t size() const override { return machine_.size(); }
  std::size_t threads(std::size_t node) const override {
    return options_.threads_per_node > 0 ? options_.threads_per_node : machine_[node].cpus.size();
  }
  std::size_t here() const override { return current_task::node_in(this); }

  void run(std::span<const std::size_t> nodes, function_ref<void(std::size_t)> task) override {
    if (size() == 1) {
      if (nodes.empty()) return;
      arenas_[0]->execute([&] { call(0, task); });
      return;
    }
    if (current_task::of(this)) {
      // A thread that waits in its arena for another one keeps its slot, and the other may wait for
      // that slot. So what a task dispatches it does itself.
      for (const std::size_t node : nodes) call(node, task);
      return;
    }
    const std::shared_ptr<open_calls> calls = std::make_shared<open_calls>(nodes.size());
    for (const std::size_t node : nodes) {
      arena(node).enqueue([this, node, task, calls] {
        call(node, task);
        calls->one_done();
      });
    }
    calls->wait();
  }

  void share(std::size_t count, std::size_t grain,
             function_ref<void(std::size_t, std::size_t)> piece) override {
    if (!current_task::of(this)) {
      for (std::size_t first = 0; first < count; first += grain) {
        piece(first, std::min(count, first + grain));
      }
      return;
    }
    const std::size_t node = here();
    const std::size_t pieces = (count + grain - 1) / grain;
    // Isolated: while it waits for a piece, the caller must not begin another task, whose locks it
    // might hold already.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          std::size_t{0}, pieces,
          [&](std::size_t i) {
            const current_task inside(this, node);
            piece(i * grain, std::min(count, (i + 1) * grain));
          },
          tbb::simple_partitioner());
    });
  }

 private:
  std::size_t all_threads() const {
    std::size_t all = 0;
    for (std::size_t node = 0; node < size(); ++node) all += threads(node);
    return all;
  }
  tbb::task_arena& arena(std::size_t node) { return *arenas_[arenas_.size() == 1 ? 0 : node]; }
  void call(std::size_t node, function_ref<void(std::size_t)> task) {
    const current_task inside(this, node);
    task(node);
  }

  const topology machine_;
  const executor_options options_;
  tbb::global_control control_;
  std::vector<std::unique_ptr<tbb::task_arena>> arenas_;
  std::vector<std::unique_ptr<binding_observer>> observers_;
};

}  // namespace

std::unique_ptr<executor> make_arenas(const topology& machine, executor_options options) {
  return std::make_unique<arena_executor>(machine, options);
}

}  // namespace numa_v1
}  // namespace numatch
