// SPDX-License-Identifier: Apache-2.0
#include "node_queue.hpp"

namespace numatch {
inline namespace numa_v1 {

void node_queue::push(job next) {
  {
    const std::lock_guard<std::mutex> held(lock_);
    jobs_.push_back(std::move(next));
    version_.fetch_add(1, std::memory_order_release);
  }
  changed_.notify_one();
}

node_queue::offer::offer(node_queue& queue, shared_range& range) : queue_(queue), range_(range) {
  {
    const std::lock_guard<std::mutex> held(queue_.lock_);
    at_ = queue_.offers_.insert(queue_.offers_.end(), this);
  }
  queue_.wake();
}

node_queue::offer::~offer() {
  std::unique_lock<std::mutex> held(queue_.lock_);
  queue_.offers_.erase(at_);
  queue_.helped_.wait(held, [this] { return helpers_ == 0; });
}

bool node_queue::work_once(std::size_t node, bool tasks) {
  std::unique_lock<std::mutex> held(lock_);
  // Ranges first: somebody waits for their end who holds back a task.
  for (offer* one : offers_) {
    if (!one->range_.has_more()) continue;
    ++one->helpers_;
    held.unlock();
    one->range_.work();
    held.lock();
    if (--one->helpers_ == 0) helped_.notify_all();
    return true;
  }
  if (!tasks || jobs_.empty()) return false;
  const job next = std::move(jobs_.front());
  jobs_.pop_front();
  held.unlock();
  next.task(node);
  next.calls->one_done();
  return true;
}

void node_queue::wait_for_change(std::size_t seen) {
  for (int i = 0; i < spins; ++i) {
    if (version() != seen) return;
    pause_a_little();
  }
  std::unique_lock<std::mutex> held(lock_);
  changed_.wait(held, [&] { return version() != seen; });
}

void node_queue::wake() {
  {
    const std::lock_guard<std::mutex> held(lock_);
    version_.fetch_add(1, std::memory_order_release);
  }
  changed_.notify_all();
}

void node_queue::close() {
  closed_.store(true, std::memory_order_release);
  wake();
}

}  // namespace numa_v1
}  // namespace numatch
