// SPDX-License-Identifier: Apache-2.0
// patterns PATTERN ROUNDS: eight threads do to memory what access_patterns.hpp says.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "access_patterns.hpp"

namespace numatch::bench {
namespace {

void work(access_pattern pattern, unsigned thread, unsigned long rounds,
          volatile std::uint64_t* memory) {
  for (unsigned long round = 0; round < rounds; ++round) {
    do_round(pattern, thread, [&](std::uint64_t offset, bool write) {
      if (write) {
        memory[offset / 8] = thread;
      } else {
        static_cast<void>(memory[offset / 8]);
      }
    });
  }
}

int run(access_pattern pattern, unsigned long rounds) {
  const std::unique_ptr<std::uint64_t[]> memory(new std::uint64_t[bytes_of_all / 8]);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < pattern_threads; ++t) {
    threads.emplace_back(work, pattern, t, rounds, memory.get());
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace
}  // namespace numatch::bench

int main(int argc, char** argv) {
  if (argc == 3) {
    if (const auto pattern = numatch::bench::pattern_named(argv[1])) {
      return numatch::bench::run(*pattern, std::strtoul(argv[2], nullptr, 10));
    }
  }
  std::fputs("usage: patterns friendly|stream|hostile ROUNDS\n", stderr);
  return 2;
}
