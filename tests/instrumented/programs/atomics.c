/* SPDX-License-Identifier: Apache-2.0 */
/* Every atomic operation of every size by several threads at once; the results are known. */
#include <numatch/annotate.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { threads = 4, rounds = 2000 };
#define COUNTERS(type, name) static type name##_add, name##_sub, name##_xor, name##_cas, name##_xchg
COUNTERS(uint8_t, b8);
COUNTERS(uint16_t, b16);
COUNTERS(uint32_t, b32);
COUNTERS(uint64_t, b64);
COUNTERS(unsigned __int128, b128);
static uint64_t bits_or, bits_and = ~0ULL, bits_nand, loaded, stored;

#define WORK(type, name)                                                                           \
  do {                                                                                             \
    __atomic_fetch_add(&name##_add, 3, __ATOMIC_RELAXED);                                          \
    __atomic_sub_fetch(&name##_sub, 1, __ATOMIC_ACQ_REL);                                          \
    __atomic_fetch_xor(&name##_xor, 5, __ATOMIC_SEQ_CST);                                          \
    type seen = __atomic_load_n(&name##_cas, __ATOMIC_ACQUIRE);                                    \
    while (!__atomic_compare_exchange_n(&name##_cas, &seen, (type)(seen + 1), 0, __ATOMIC_SEQ_CST, \
                                        __ATOMIC_RELAXED)) {                                       \
    }                                                                                              \
    sum += (uint64_t)__atomic_exchange_n(&name##_xchg, 1, __ATOMIC_SEQ_CST);                       \
  } while (0)

static void* work(void* number) {
  const uint64_t me = (uint64_t)number;
  uint64_t sum = 0;
  for (int i = 0; i < rounds; ++i) {
    WORK(uint8_t, b8);
    WORK(uint16_t, b16);
    WORK(uint32_t, b32);
    WORK(uint64_t, b64);
    WORK(unsigned __int128, b128);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  __atomic_fetch_or(&bits_or, 1ULL << me, __ATOMIC_RELAXED);
  __atomic_fetch_and(&bits_and, ~(1ULL << me), __ATOMIC_RELAXED);
  __atomic_fetch_nand(&bits_nand, 0, __ATOMIC_RELAXED);
  return (void*)sum;
}

#define RIGHT(type, name)                                                                      \
  (name##_add == (type)(3 * threads * rounds) && name##_sub == (type)(0 - threads * rounds) && \
   name##_xor == 0 && name##_cas == (type)(threads * rounds) && name##_xchg == 1)

int main(void) {
  NUMATCH_LABEL(&b32_add, sizeof b32_add, "b32_add");
  NUMATCH_LABEL(&b128_add, sizeof b128_add, "b128_add");
  NUMATCH_LABEL(&loaded, sizeof loaded, "loaded");
  NUMATCH_LABEL(&stored, sizeof stored, "stored");
  pthread_t made[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&made[i], NULL, work, (void*)i);
  uint64_t sum = 0;
  for (int i = 0; i < threads; ++i) {
    void* part;
    pthread_join(made[i], &part);
    sum += (uint64_t)part;
  }
  for (int i = 0; i < 10; ++i) {
    sum += __atomic_load_n(&loaded, __ATOMIC_RELAXED);
    __atomic_store_n(&stored, (uint64_t)i, __ATOMIC_RELEASE);
  }
  const int right = RIGHT(uint8_t, b8) && RIGHT(uint16_t, b16) && RIGHT(uint32_t, b32) &&
                    RIGHT(uint64_t, b64) && RIGHT(unsigned __int128, b128) && bits_or == 15 &&
                    bits_and == ~15ULL && bits_nand == ~0ULL && stored == 9 &&
                    sum == 5 * (threads * rounds - 1);
  printf("%s\n", right ? "right" : "wrong");
  return !right;
}
