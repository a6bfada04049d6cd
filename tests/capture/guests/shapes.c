// SPDX-License-Identifier: Apache-2.0
// Accesses whose number and width are known, each kind to a labelled buffer of its own. Inline
// assembly, so that no compiler changes them.
#include <numatch/annotate.h>

static uint64_t loads[1000], stores[1000], both[100];
static unsigned char rep_from[100], rep_to[100];
static _Alignas(32) unsigned char sse[16], avx[32], added[8], exchanged[16], x87[16];

static void plain(void) {
  uint64_t* at = loads;
  uint64_t count = 1000;
  __asm__ volatile("1: mov (%0), %%rax; add $8, %0; dec %1; jnz 1b"
                   : "+r"(at), "+r"(count)::"rax", "memory");
  at = stores;
  count = 1000;
  __asm__ volatile("1: movl $7, (%0); add $8, %0; dec %1; jnz 1b"
                   : "+r"(at), "+r"(count)::"memory");
  at = both;
  count = 100;
  __asm__ volatile("1: addq $1, (%0); add $8, %0; dec %1; jnz 1b"
                   : "+r"(at), "+r"(count)::"memory");
}

static void special(void) {
  const unsigned char* from = rep_from;
  unsigned char* to = rep_to;
  uint64_t count = 100;
  __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count)::"memory");
  __asm__ volatile("movdqa (%0), %%xmm0" ::"r"(sse) : "xmm0", "memory");
  uint64_t one = 1;
  __asm__ volatile("lock xaddq %0, (%1)" : "+r"(one) : "r"(added) : "memory");
  uint64_t low = 0, high = 0;
  __asm__ volatile("lock cmpxchg16b (%2)"
                   : "+a"(low), "+d"(high)
                   : "r"(exchanged), "b"(1UL), "c"(2UL)
                   : "memory", "cc");
  __asm__ volatile("fldt (%0); fstpt (%0)" ::"r"(x87) : "memory");
  if (__builtin_cpu_supports("avx")) {
    __asm__ volatile("vmovdqa (%0), %%ymm0; vzeroupper" ::"r"(avx) : "xmm0", "memory");
    NUMATCH_LABEL(avx, sizeof avx, "avx");
  }
}

int main(void) {
  NUMATCH_LABEL(loads, sizeof loads, "loads");
  NUMATCH_LABEL(stores, sizeof stores, "stores");
  NUMATCH_LABEL(both, sizeof both, "both");
  NUMATCH_LABEL(rep_from, sizeof rep_from, "rep from");
  NUMATCH_LABEL(rep_to, sizeof rep_to, "rep to");
  NUMATCH_LABEL(sse, sizeof sse, "sse");
  NUMATCH_LABEL(added, sizeof added, "added");
  NUMATCH_LABEL(exchanged, sizeof exchanged, "exchanged");
  NUMATCH_LABEL(x87, sizeof x87, "x87");
  plain();
  special();
  return 0;
}
