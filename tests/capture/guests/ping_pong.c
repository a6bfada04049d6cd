// SPDX-License-Identifier: Apache-2.0
// Two threads take turns through a futex; the second one is joined after it has ended, which takes
// no system call.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <numatch/annotate.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { rounds = 50 };
static uint32_t turn;

static void wait_for(uint32_t value) {
  for (;;) {
    const uint32_t seen = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
    if (seen == value) return;
    syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
  }
}

static void pass(uint32_t value) {
  __atomic_store_n(&turn, value, __ATOMIC_RELEASE);
  syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void* second(void* tid) {
  *(pid_t*)tid = gettid();
  for (int i = 0; i < rounds; ++i) {
    wait_for(1);
    pass(0);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pid_t tid = 0;
  NUMATCH_LABEL(&turn, sizeof turn, "turn");
  if (pthread_create(&thread, NULL, second, &tid) != 0) return 1;
  for (int i = 0; i < rounds; ++i) {
    pass(1);
    wait_for(0);
  }
  while (syscall(SYS_tgkill, getpid(), tid, 0) == 0) usleep(1000);
  return pthread_join(thread, NULL);
}
