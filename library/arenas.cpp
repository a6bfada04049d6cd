// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
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

/// The tasks of one run(): each is done by whoever comes first, a thread of its node or the caller.
class shared_tasks {
 public:
  explicit shared_tasks(std::size_t count) : open_(count), taken_(count) {}
  bool is_free(std::size_t i) const { return !taken_[i].load(std::memory_order_relaxed); }
  /// Calls `task`, unless somebody else has taken it.
  template <class Task>
  void work(std::size_t i, Task task) {
    if (taken_[i].exchange(true, std::memory_order_relaxed)) return;
    task();
    open_.one_done();
  }
  void wait() const { open_.wait(); }

 private:
  open_calls open_;
  std::vector<std::atomic<bool>> taken_;
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
  ~arena_executor() override {
    // What the caller has done itself is still in the queues, and would be lost with its memory.
    while (queued_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    observers_.clear();
  }

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
    // To wake a thread may take longer than the work. So the caller does, in their arenas, what
    // nobody has begun: first where it is now. Isolated: while it waits for a piece of a task, it
    // must not begin one of another caller, who may wait for a lock that this one holds.
    const std::shared_ptr<shared_tasks> tasks = std::make_shared<shared_tasks>(nodes.size());
    const std::size_t first = nearest(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i == first) continue;
      queued_.fetch_add(1, std::memory_order_relaxed);
      arena(nodes[i]).enqueue([this, i, node = nodes[i], task, tasks] {
        tasks->work(i, [&] { call(node, task); });
        queued_.fetch_sub(1, std::memory_order_release);
      });
    }
    for (std::size_t step = 0; step < nodes.size(); ++step) {
      const std::size_t i = (first + step) % nodes.size();
      if (!tasks->is_free(i)) continue;
      arena(nodes[i]).execute([&] {
        tbb::this_task_arena::isolate([&] { tasks->work(i, [&] { call(nodes[i], task); }); });
      });
    }
    tasks->wait();
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
  /// Which of `nodes` the caller is on now; the first one when on none.
  std::size_t nearest(std::span<const std::size_t> nodes) const {
    if (!machine_.binds()) return 0;
    const int cpu = sched_getcpu();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::vector<unsigned>& cpus = machine_[nodes[i]].cpus;
      if (std::binary_search(cpus.begin(), cpus.end(), static_cast<unsigned>(cpu))) return i;
    }
    return 0;
  }
  tbb::task_arena& arena(std::size_t node) { return *arenas_[arenas_.size() == 1 ? 0 : node]; }
  void call(std::size_t node, function_ref<void(std::size_t)> task) {
    const current_task inside(this, node);
    task(node);
  }

  const topology machine_;
  const executor_options options_;
  tbb::global_control control_;
  std::atomic<std::size_t> queued_{0};  // tasks that the arenas have not met yet
  std::vector<std::unique_ptr<tbb::task_arena>> arenas_;
  std::vector<std::unique_ptr<binding_observer>> observers_;
};

}  // namespace

std::unique_ptr<executor> make_arenas(const topology& machine, executor_options options) {
  return std::make_unique<arena_executor>(machine, options);
}

}  // namespace numa_v1
}  // namespace numatch
