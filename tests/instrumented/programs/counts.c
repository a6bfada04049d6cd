/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose accesses can be counted by hand. */
#include <numatch/annotate.h>
#include <stdio.h>
#include <string.h>

enum { n = 1000 };
static double a[n], b[n];
struct record {
  char bytes[600];
};
static struct record first, second;
struct big_record {
  char bytes[20000];
};
static struct big_record big_first, big_second;
static char from[4096], to[4096], cleared[4096];
static volatile int volatile_word;
static double halves[n], pairs[2 * n], positive[n], summed[n];
static long eight[8], eight_sum;

__attribute__((noinline)) static void add(double factor) {
  for (int i = 0; i < n; ++i) a[i] = b[i] * factor; /* n reads, n writes */
}
/* What a vectorising compiler does with wide, strided or masked vectors. */
__attribute__((noinline)) static void invite_vectors(void) {
  for (int i = 0; i < n; ++i) halves[i] = pairs[2 * i] + pairs[2 * i + 1]; /* 2n reads, n writes */
  for (int i = 0; i < n; ++i)
    if (i % 2) positive[i] = halves[i]; /* n/2 reads, n/2 writes */
#pragma omp simd
  for (int i = 0; i < n; ++i) summed[i] = pairs[2 * i] + pairs[2 * i + 1];
  for (int i = 0; i < 8; ++i) eight_sum += eight[i]; /* 8 reads */
}
__attribute__((noinline)) static void copy_records(void) {
  first = second;
  big_first = big_second;
}
__attribute__((noinline)) static void copy_bytes(unsigned bytes) {
  memcpy(to, from, 3000);
  memcpy(to, from, bytes);
  memset(cleared, 1, 4096);
  memset(cleared, 2, bytes);
}

int main(int argc, char** argv) {
  NUMATCH_LABEL(a, sizeof a, "a");
  NUMATCH_LABEL(b, sizeof b, "b");
  NUMATCH_LABEL(halves, sizeof halves, "halves");
  NUMATCH_LABEL(pairs, sizeof pairs, "pairs");
  NUMATCH_LABEL(positive, sizeof positive, "positive");
  NUMATCH_LABEL(summed, sizeof summed, "summed");
  NUMATCH_LABEL(eight, sizeof eight, "eight");
  pairs[argc] = argc; /* the compiler must not take them for zeros */
  eight[argc] = argc;
  NUMATCH_LABEL(&first, sizeof first, "first");
  NUMATCH_LABEL(&second, sizeof second, "second");
  NUMATCH_LABEL(&big_first, sizeof big_first, "big_first");
  NUMATCH_LABEL(&big_second, sizeof big_second, "big_second");
  NUMATCH_LABEL(from, sizeof from, "from");
  NUMATCH_LABEL(to, sizeof to, "to");
  NUMATCH_LABEL(cleared, sizeof cleared, "cleared");
  NUMATCH_LABEL((void*)&volatile_word, sizeof volatile_word, "volatile_word");
  add(argc);
  invite_vectors();
  copy_records();
  copy_bytes((unsigned)argc * 1000);
  for (int i = 0; i < 10; ++i) volatile_word = volatile_word + 1;
  printf("%s %d\n", argv[0], (int)a[1]);
  return 7;
}
