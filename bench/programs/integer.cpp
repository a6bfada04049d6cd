// SPDX-License-Identifier: Apache-2.0
// Integers: every thread sorts its own keys by radix, looks words up in a hash table that all
// share, and sums up. Digits of 4 bits and a number of keys that is no power of two keep the 16
// places that are written at once in a TLB, as programmers of sorts see to. About 500 million
// accesses as QEMU counts them, by default. Prints a checksum.
// usage: integer [THREADS [ROUNDS]]
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using key = std::uint32_t;
constexpr std::size_t keys_per_thread = 250000;
constexpr std::size_t table_size = std::size_t{1} << 16;

void radix_sort(std::vector<key>& keys, std::vector<key>& other) {
  for (unsigned shift = 0; shift < 32; shift += 4) {
    std::array<std::uint32_t, 17> starts{};
    for (const key k : keys) ++starts[(k >> shift & 15) + 1];
    for (std::size_t digit = 0; digit < 16; ++digit) starts[digit + 1] += starts[digit];
    for (const key k : keys) other[starts[k >> shift & 15]++] = k;
    keys.swap(other);
  }
}

/// Linear probing; every key of the table is its slot's own first choice or near it.
std::uint64_t look_up(const std::vector<key>& table, const std::vector<key>& keys) {
  std::uint64_t found = 0;
  for (const key k : keys) {
    std::size_t slot = k * 2654435761U >> 16;
    while (table[slot] != 0 && table[slot] != k) slot = (slot + 1) % table_size;
    if (table[slot] == k) ++found;
  }
  return found;
}

std::uint64_t work(unsigned thread, unsigned rounds, const std::vector<key>& table) {
  std::vector<key> keys(keys_per_thread);
  std::vector<key> other(keys_per_thread);
  std::uint64_t sum = 0;
  key state = thread * 2 + 1;
  for (unsigned round = 0; round < rounds; ++round) {
    for (key& k : keys) {
      state = state * 1664525U + 1013904223U;
      k = state;
    }
    sum += look_up(table, keys);
    radix_sort(keys, other);
    for (std::size_t i = 0; i < keys.size(); i += 64) sum = sum * 31 + keys[i];
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 8;
  if (threads < 1 || rounds < 1) return 2;
  std::vector<key> table(table_size);
  key state = 12345;
  for (std::size_t i = 0; i < table_size / 2; ++i) {
    state = state * 1664525U + 1013904223U;
    std::size_t slot = state * 2654435761U >> 16;
    while (table[slot] != 0) slot = (slot + 1) % table_size;
    table[slot] = state;
  }
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads));
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      sums[static_cast<std::size_t>(t)] =
          work(static_cast<unsigned>(t), static_cast<unsigned>(rounds), table);
    });
  }
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < team.size(); ++t) {
    team[t].join();
    sum += sums[t];
  }
  std::printf("%llx\n", static_cast<unsigned long long>(sum));
  return 0;
}
