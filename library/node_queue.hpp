// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>

#include "numatch/numa/function_ref.hpp"
#include "open_calls.hpp"
#include "shared_range.hpp"

namespace numatch {
inline namespace numa_v1 {

/// What waits for the threads of one node: tasks, and ranges to help with. Thread safe.
class node_queue {
 public:
  struct job {
    function_ref<void(std::size_t)> task;
    std::shared_ptr<open_calls> calls;  // outlives the caller's return
  };

  void push(job next);
  /// Offers a range to the node's threads while this object lives; its end waits for those that
  /// work on it.
  class offer {
   public:
    offer(node_queue& queue, shared_range& range);
    ~offer();
    offer(const offer&) = delete;
    offer& operator=(const offer&) = delete;

   private:
    friend class node_queue;
    node_queue& queue_;
    shared_range& range_;
    std::size_t helpers_ = 0;
    std::list<offer*>::iterator at_;
  };

  /// Runs one task or helps with one range, as node `node`; false: there was nothing. `tasks`:
  /// tasks too, else ranges only.
  bool work_once(std::size_t node, bool tasks);
  /// Changes whenever there is something new. Read it before looking for work, and wait for another
  /// one when there was none.
  std::size_t version() const { return version_.load(std::memory_order_acquire); }
  /// Sleeps, after a short spin, until the version is another one.
  void wait_for_change(std::size_t seen);
  /// Wakes all who wait.
  void wake();
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::condition_variable helped_;
  std::deque<job> jobs_;
  std::list<offer*> offers_;
  std::atomic<std::size_t> version_{0};  // changed under the lock
  std::atomic<bool> closed_{false};
};

}  // namespace numa_v1
}  // namespace numatch
