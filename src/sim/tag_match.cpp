// SPDX-License-Identifier: Apache-2.0
#include "sim/tag_match.hpp"

#include <immintrin.h>

#include <bit>

namespace numatch::sim {

namespace {

std::uint64_t match_plain(const std::uint64_t* tags, unsigned count, unsigned shift,
                          std::uint64_t line) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i < count; ++i) {
    found |= static_cast<std::uint64_t>(tags[i] >> shift == line) << i;
  }
  return found;
}

__attribute__((target("avx2"))) std::uint64_t match_avx2(const std::uint64_t* tags, unsigned count,
                                                         unsigned shift, std::uint64_t line) {
  std::uint64_t found = 0;
  const __m256i wanted = _mm256_set1_epi64x(std::bit_cast<long long>(line));
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(shift));
  unsigned i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tags + i));
    const __m256i equal = _mm256_cmpeq_epi64(_mm256_srl_epi64(four, by), wanted);
    const unsigned bits = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(equal)));
    found |= std::uint64_t{bits} << i;
  }
  if (i < count) found |= match_plain(tags + i, count - i, shift, line) << i;
  return found;
}

__attribute__((target("avx512f"))) std::uint64_t match_avx512(const std::uint64_t* tags,
                                                              unsigned count, unsigned shift,
                                                              std::uint64_t line) {
  std::uint64_t found = 0;
  const __m512i wanted = _mm512_set1_epi64(std::bit_cast<long long>(line));
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(shift));
  for (unsigned i = 0; i < count; i += 8) {
    const unsigned left = count - i;
    const __mmask8 loaded = static_cast<__mmask8>(left >= 8 ? 0xff : (1U << left) - 1);
    const __m512i eight = _mm512_maskz_loadu_epi64(loaded, tags + i);
    const __m512i shifted = _mm512_maskz_srl_epi64(loaded, eight, by);
    const unsigned equal = _mm512_mask_cmpeq_epi64_mask(loaded, shifted, wanted);
    found |= std::uint64_t{equal} << i;
  }
  return found;
}

}  // namespace

tag_match best_tag_match() {
  if (__builtin_cpu_supports("avx512f")) return match_avx512;
  return __builtin_cpu_supports("avx2") ? match_avx2 : match_plain;
}

}  // namespace numatch::sim
