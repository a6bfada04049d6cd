// SPDX-License-Identifier: Apache-2.0
// fault_check: does the kernel tell an ordinary user which thread faulted at which address? Some
// threads touch fresh pages of their own, byte by known byte; each fault must be seen once, with
// that thread and that byte.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstring>
#include <deque>
#include <iostream>
#include <map>
#include <system_error>
#include <thread>

#include "fault_check/faults.hpp"

namespace fault_check {

namespace {

constexpr unsigned threads = 4;
constexpr std::size_t pages = 64;  // per thread
constexpr std::size_t page_bytes = 4096;

/// The byte of its page that is touched: another one in each page.
std::size_t byte_of(std::size_t page) {
  return page * 61 % page_bytes;
}

struct toucher {
  std::atomic<pid_t> task{0};
  char* memory = nullptr;
  std::thread thread;
};

void touch(toucher& self, std::barrier<>& watched) {
  self.task = gettid();
  watched.arrive_and_wait();  // all have their number
  watched.arrive_and_wait();  // all are watched
  for (std::size_t page = 0; page < pages; ++page) {
    volatile char* const byte = self.memory + page * page_bytes + byte_of(page);
    *byte = 1;
  }
}

/// Small pages, which no other thread touches.
char* fresh_memory() {
  void* const mapped =
      mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  madvise(mapped, pages * page_bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(mapped);
}

int run() {
  std::deque<toucher> touchers(threads);
  std::barrier<> watched(threads + 1);
  for (toucher& next : touchers) {
    next.memory = fresh_memory();
    next.thread = std::thread([&next, &watched] { touch(next, watched); });
  }
  watched.arrive_and_wait();
  std::deque<fault_event> events;
  int refused = 0;
  try {
    for (const toucher& next : touchers) events.emplace_back(next.task, 8);
  } catch (const std::system_error& wrong) {
    std::cerr << "fault_check: " << wrong.what() << '\n';
    refused = 2;
  }
  watched.arrive_and_wait();
  for (toucher& next : touchers) next.thread.join();
  if (refused != 0) return refused;

  std::map<std::uintptr_t, pid_t> expected;
  for (const toucher& next : touchers) {
    for (std::size_t page = 0; page < pages; ++page) {
      const char* const byte = next.memory + page * page_bytes + byte_of(page);
      expected[reinterpret_cast<std::uintptr_t>(byte)] = next.task;
    }
  }
  std::size_t lost = 0;
  std::size_t seen = 0;
  std::size_t elsewhere = 0;  // the threads' stacks, for example
  std::size_t wrong = 0;
  for (fault_event& event : events) {
    for (const fault& next : event.read(lost)) {
      const auto found = expected.find(next.address);
      if (found == expected.end()) {
        ++elsewhere;
      } else {
        ++(found->second == next.task ? seen : wrong);
      }
    }
  }
  std::cout << "faults with thread and byte: " << seen << " of " << expected.size() << ", wrong "
            << wrong << ", lost " << lost << ", elsewhere " << elsewhere << '\n';
  return seen == expected.size() && wrong == 0 && lost == 0 ? 0 : 1;
}

}  // namespace

}  // namespace fault_check

int main() {
  try {
    return fault_check::run();
  } catch (const std::exception& wrong) {
    std::cerr << "fault_check: " << wrong.what() << '\n';
    return 2;
  }
}
