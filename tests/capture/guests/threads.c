// SPDX-License-Identifier: Apache-2.0
// 240 short-lived threads, at most four at a time: QEMU numbers them 0 to 4 over and over. Thread i
// stores 100 times to its own slot.
#include <numatch/annotate.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

enum { threads = 240, at_once = 4 };
static uint64_t slots[threads][8];

static void* work(void* argument) {
  uint64_t* const slot = argument;
  char name[16];
  snprintf(name, sizeof name, "worker %d", (int)((slot - slots[0]) / 8));
  prctl(PR_SET_NAME, name);
  uint64_t count = 100;
  __asm__ volatile("1: movq %0, (%1); dec %0; jnz 1b" : "+r"(count) : "r"(slot) : "memory");
  return NULL;
}

int main(void) {
  NUMATCH_LABEL(slots, sizeof slots, "slots");
  for (int first = 0; first < threads; first += at_once) {
    pthread_t running[at_once];
    for (int i = 0; i < at_once; ++i) {
      if (pthread_create(&running[i], NULL, work, slots[first + i]) != 0) return 1;
    }
    for (int i = 0; i < at_once; ++i) pthread_join(running[i], NULL);
  }
  return 0;
}
