// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>
#include <numatch/numa.hpp>
#include <vector>

int main() {
  numatch::runtime nodes;
  using numbers = std::pmr::vector<int>;
  const numatch::partitioned<numbers> data(nodes, 4,
                                           [](std::size_t part, std::pmr::memory_resource* memory) {
                                             return numbers(100, static_cast<int>(part), memory);
                                           });
  const int sum = data.map_reduce(
      [](const numbers& part) { return part.front() * static_cast<int>(part.size()); },
      std::plus<>());
  std::printf("%d\n", sum);
  return sum == 600 ? 0 : 1;
}
