// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "vectors.hpp"

namespace vsearch {

// One file, so that the compiler makes versions for AVX2 and for every x86 processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define VSEARCH_CLONES __attribute__((target_clones("default", "arch=haswell")))
#else
#define VSEARCH_CLONES
#endif

namespace {

constexpr std::size_t lanes = 16;

/// Adds term(a[i], b[i]) in an order that only their length decides.
template <class Term>
[[gnu::always_inline]] inline float sum_in_lanes(std::span<const float> a, std::span<const float> b,
                                                 Term term) {
  std::array<float, lanes> sums{};
  const std::size_t whole = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += term(a[i + l], b[i + l]);
  }
  for (std::size_t i = whole; i < a.size(); ++i) sums[i - whole] += term(a[i], b[i]);
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

}  // namespace

VSEARCH_CLONES float distance(std::span<const float> a, std::span<const float> b) {
  return sum_in_lanes(a, b, [](float x, float y) { return (x - y) * (x - y); });
}

VSEARCH_CLONES float product(std::span<const float> a, std::span<const float> b) {
  return sum_in_lanes(a, b, [](float x, float y) { return x * y; });
}

}  // namespace vsearch
