// SPDX-License-Identifier: Apache-2.0
#include "bindings/waiting.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace numatch::python {

namespace nb = nanobind;

namespace {

struct stopped {};

constexpr std::chrono::milliseconds between_looks{50};

}  // namespace

void stop_here(const std::atomic<bool>& stop) {
  if (stop) throw stopped();
}

void run_waiting(const std::function<void(const std::atomic<bool>& stop)>& work,
                 const std::function<void()>& look) {
  std::atomic<bool> stop = false;
  std::exception_ptr of_work;
  std::exception_ptr of_caller;
  {
    const nb::gil_scoped_release released;
    std::mutex lock;
    std::condition_variable ended;
    bool over = false;
    const std::jthread worker([&] {
      try {
        work(stop);
      } catch (...) {
        of_work = std::current_exception();
      }
      const std::lock_guard guard(lock);
      over = true;
      ended.notify_one();
    });
    std::unique_lock guard(lock);
    while (!ended.wait_for(guard, between_looks, [&] { return over; })) {
      if (stop) continue;
      guard.unlock();
      {
        const nb::gil_scoped_acquire held;
        try {
          if (look) look();
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
        } catch (...) {
          of_caller = std::current_exception();
          stop = true;
        }
      }
      guard.lock();
    }
  }
  // Work that was stopped has nothing to say.
  if (of_caller) std::rethrow_exception(of_caller);
  if (of_work) std::rethrow_exception(of_work);
}

}  // namespace numatch::python
