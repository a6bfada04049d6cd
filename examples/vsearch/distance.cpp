// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "vectors.hpp"

namespace vsearch {

// One file, so that the compiler makes a version for AVX2 and one for every x86 processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("default", "arch=haswell")))
#endif
float distance(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t lanes = 16;
  std::array<float, lanes> sums{};
  const std::size_t whole = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const float difference = a[i + l] - b[i + l];
      sums[l] += difference * difference;
    }
  }
  for (std::size_t i = whole; i < a.size(); ++i) {
    const float difference = a[i] - b[i];
    sums[i - whole] += difference * difference;
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

}  // namespace vsearch
