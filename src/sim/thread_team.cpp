// SPDX-License-Identifier: Apache-2.0
#include "sim/thread_team.hpp"

#include <algorithm>
#include <utility>

namespace numatch::sim {

namespace {

/// Until `value` is another one, which it returns.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr unsigned patience = 2000;  // some ten microseconds
  for (unsigned tried = 0; tried < patience; ++tried) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    __builtin_ia32_pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

thread_team::thread_team(unsigned members) : taken_(members) {
  const unsigned threads = std::min(members, std::thread::hardware_concurrency());
  for (unsigned number = 1; number < threads; ++number) {
    others_.emplace_back([this, number] { serve(number); });
  }
}

thread_team::~thread_team() {
  ends_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& other : others_) other.join();
}

void thread_team::serve(unsigned number) {
  for (std::uint32_t round = 0;;) {
    round = wait_for_change(round_, round);
    if (ends_) return;
    do_what_is_left(number, round);
  }
}

/// Whoever comes late finds nothing to take, or a round that is over: in that all is taken, too.
void thread_team::do_what_is_left(unsigned first, std::uint32_t round) {
  const unsigned members = static_cast<unsigned>(taken_.size());
  for (unsigned k = 0; k < members; ++k) {
    const unsigned member = (first + k) % members;
    std::uint32_t before = round - 1;
    if (!taken_[member].compare_exchange_strong(before, round, std::memory_order_relaxed)) continue;
    try {
      (*work_)(member);
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failure_) failure_ = std::current_exception();
    }
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
  }
}

void thread_team::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  left_.store(static_cast<std::uint32_t>(taken_.size()), std::memory_order_relaxed);
  const std::uint32_t round = round_.fetch_add(1, std::memory_order_release) + 1;
  if (!others_.empty()) round_.notify_all();
  do_what_is_left(0, round);
  for (std::uint32_t left = left_.load(std::memory_order_acquire); left != 0;) {
    left = wait_for_change(left_, left);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace numatch::sim
