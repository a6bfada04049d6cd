// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace numatch::sim {

/// Threads that do work of the same kind again and again: between two pieces they are awake for a
/// moment, so that what comes soon need not wait until the host has woken them.
class thread_team {
 public:
  /// `members`, 1 at least, are those that the work is for. There are as many threads with the
  /// caller's, but no more than the host has processors.
  explicit thread_team(unsigned members);
  ~thread_team();
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;

  /// work(i) for every member i: at the same time, each on the same thread as before, or one after
  /// the other from 0 on where the host has something else to do. Returns when all have ended; what
  /// the first that threw has thrown comes out then.
  void run(const std::function<void(unsigned)>& work);

 private:
  void serve(unsigned number);
  void do_what_is_left(unsigned first, std::uint32_t round);

  const std::function<void(unsigned)>* work_ = nullptr;
  std::atomic<bool> ends_ = false;
  std::mutex failing_;
  std::exception_ptr failure_;
  /// [member]: the last round in which a thread has taken its work.
  std::vector<std::atomic<std::uint32_t>> taken_;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
  alignas(64) std::atomic<std::uint32_t> left_ = 0;  ///< members that are not done with the round
  std::vector<std::thread> others_;
};

}  // namespace numatch::sim
