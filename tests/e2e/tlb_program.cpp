// SPDX-License-Identifier: Apache-2.0
// One thread that misses a TLB of 64 entries in several ways: streams, a stencil, random look-ups,
// a list and a column-wise walk. Prints a checksum. Nothing that it instruments lies on the stack:
// an object there is in two pages in some runs, and the misses of two runs are to be the same.
#include <array>
#include <cinttypes>
#include <cstdio>

namespace {

using word = std::uint64_t;
constexpr std::size_t words = std::size_t{1} << 18;  // 512 pages
constexpr std::size_t side = 512;                    // 512 x 512 words are as many

struct node {
  node* next;
  word value;
  char rest[240];
};

constexpr std::size_t page = 4096;
alignas(page) std::array<word, words> a;
alignas(page) std::array<word, words> b;
alignas(page) std::array<word, words> c;
alignas(page) std::array<node, 20000> nodes;

}  // namespace

int main() {
  a.fill(1);
  b.fill(2);
  c.fill(3);
  word sum = 0;
  for (word round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < words; ++i) a[i] = b[i] + round * c[i];
    for (std::size_t r = 1; r < side - 1; ++r) {
      for (std::size_t i = r * side + 1; i < r * side + side - 1; ++i) {
        b[i] = a[i - 1] + a[i + 1] + a[i - side] + a[i + side];
      }
    }
    for (std::size_t column = 0; column < side; column += 8) {
      for (std::size_t r = 0; r < side; ++r) sum += c[r * side + column];
    }
  }
  word state = 7;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    c[(state >> 33) % words] += b[(state >> 20) % words];
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    node& here = nodes[i * 7919 % nodes.size()];
    here.next = &nodes[(i + 1) * 7919 % nodes.size()];
    here.value = i;
  }
  const node* at = nodes.data();
  for (int i = 0; i < 100000; ++i) {
    sum += at->value;
    at = at->next;
  }
  std::printf("%" PRIx64 "\n", sum + c[words / 3]);
  return 0;
}
