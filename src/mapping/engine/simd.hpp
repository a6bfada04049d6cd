// SPDX-License-Identifier: Apache-2.0
#pragma once

// A function marked so is compiled twice, for AVX2 and for any x86-64, and the loader takes what
// the processor has. Whole numbers only: both give the same bits. Sanitizers do not start early
// enough for the loader's choice.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && defined(__GNUC__) && !defined(__clang__)
#define NUMATCH_SIMD __attribute__((target_clones("avx2", "default"), optimize("O3"), noinline))
#else
#define NUMATCH_SIMD
#endif
