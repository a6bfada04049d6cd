// SPDX-License-Identifier: Apache-2.0
// line_round_trip: how long a cache line takes from one of this machine's processors to another and
// back, which decides what two jobs of the simulated machine are worth. Prints as JSON the median
// of several series for the first two processors that it may run on.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr std::uint32_t rounds = 100'000;

struct alignas(64) line {
  std::atomic<std::uint32_t> number = 0;
};

void wait_for(const line& other, std::uint32_t number) {
  while (other.number.load(std::memory_order_acquire) != number) __builtin_ia32_pause();
}

void run_on(pthread_t thread, int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  pthread_setaffinity_np(thread, sizeof only, &only);
}

double nanoseconds_of_round(int first, int second) {
  line asks;
  line answers;
  std::thread other([&] {
    for (std::uint32_t i = 1; i <= rounds; ++i) {
      wait_for(asks, i);
      answers.number.store(i, std::memory_order_release);
    }
  });
  run_on(other.native_handle(), second);  // first, or it might keep this one from its processor
  run_on(pthread_self(), first);
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  for (std::uint32_t i = 1; i <= rounds; ++i) {
    asks.number.store(i, std::memory_order_release);
    wait_for(answers, i);
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  other.join();
  return taken.count() / rounds;
}

}  // namespace

int main() {
  cpu_set_t allowed;
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int i = 0; i < CPU_SETSIZE && processors.size() < 2; ++i) {
      if (CPU_ISSET(i, &allowed)) processors.push_back(i);
    }
  }
  if (processors.size() < 2) {
    std::fprintf(stderr, "line_round_trip: needs two processors\n");
    return 2;
  }
  std::array<double, 7> series{};
  for (double& one : series) one = nanoseconds_of_round(processors[0], processors[1]);
  std::sort(series.begin(), series.end());
  std::printf("{\"round_trip_ns\": %.1f, \"least\": %.1f, \"most\": %.1f}\n", series[3], series[0],
              series[6]);
  return 0;
}
