// SPDX-License-Identifier: Apache-2.0
// A program of a fixed amount of work that says what it took:
//   overhead_program faults|compute THREADS ROUNDS RESULT
// faults: each thread maps fresh memory, touches each page once and unmaps it, again and again.
// compute: each thread multiplies small matrices that stay in its cache.
#include <sys/mman.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t fresh_pages = 256;
constexpr std::size_t side = 96;

std::uint64_t touch_fresh_pages(std::uint64_t rounds) {
  std::uint64_t sum = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    void* const memory = ::mmap(nullptr, fresh_pages * page_bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(1);
    ::madvise(memory, fresh_pages * page_bytes, MADV_NOHUGEPAGE);
    volatile char* const bytes = static_cast<char*>(memory);
    for (std::size_t page = 0; page < fresh_pages; ++page) {
      bytes[page * page_bytes] = static_cast<char>(round);
      sum += static_cast<std::uint64_t>(bytes[page * page_bytes]);
    }
    ::munmap(memory, fresh_pages * page_bytes);
  }
  return sum;
}

std::uint64_t multiply(std::uint64_t rounds) {
  std::vector<double> a(side * side, 1.0 / side);
  std::vector<double> b(side * side, 0.5);
  std::vector<double> c(side * side, 0);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t k = 0; k < side; ++k) {
        const double factor = a[i * side + k];
        for (std::size_t j = 0; j < side; ++j) c[i * side + j] += factor * b[k * side + j];
      }
    }
    b.swap(c);
  }
  return static_cast<std::uint64_t>(b[0] + c[0]);
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string_view kind = argv[1];
  const unsigned long threads = std::strtoul(argv[2], nullptr, 10);
  const std::uint64_t rounds = std::strtoull(argv[3], nullptr, 10);
  if (threads == 0 || rounds == 0 || (kind != "faults" && kind != "compute")) return 2;
  using clock = std::chrono::steady_clock;
  const clock::time_point began = clock::now();
  const double cpu_began = processor_seconds();
  std::vector<std::thread> all;
  std::vector<std::uint64_t> sums(threads);
  for (unsigned long t = 0; t < threads; ++t) {
    all.emplace_back([&sums, t, kind, rounds] {
      sums[t] = kind == "faults" ? touch_fresh_pages(rounds) : multiply(rounds);
    });
  }
  for (std::thread& one : all) one.join();
  const double elapsed = std::chrono::duration<double>(clock::now() - began).count();
  std::uint64_t sum = 0;
  for (const std::uint64_t one : sums) sum += one;
  std::FILE* const result = std::fopen(argv[4], "w");
  if (result == nullptr) return 1;
  // The sum keeps the compiler from leaving the work out.
  std::fprintf(result, "%.6f %.6f %llu\n", processor_seconds() - cpu_began, elapsed,
               static_cast<unsigned long long>(sum));
  return std::fclose(result) == 0 ? 0 : 1;
}
