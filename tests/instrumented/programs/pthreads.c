/* SPDX-License-Identifier: Apache-2.0 */
/* One hand-over from thread to thread per kind of synchronisation. Each has an array that one side
   fills before and the other reads after: in a replay no read may come before its write. */
#include <numatch/annotate.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>

enum { n = 500, rounds = 20 };
static long by_create[n], by_join[n], by_condition[n], by_semaphore[n], by_rwlock[n], by_spin[n];
static long by_once[n], by_mtx[n], by_barrier[4][rounds * 16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static mtx_t mtx;
static int condition_ready, rwlock_ready, spin_ready, mtx_ready;
static long wrong;

static void fill(long* values) {
  for (int i = 0; i < n; ++i) values[i] = i;
}
static void check(const long* values) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  if (sum != (long)n * (n - 1) / 2) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}
static void fill_once(void) {
  fill(by_once);
}

static void* other(void* nothing) {
  (void)nothing;
  check(by_create);
  pthread_once(&once, fill_once);
  check(by_once);

  pthread_mutex_lock(&mutex);
  fill(by_condition);
  condition_ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);

  fill(by_semaphore);
  sem_post(&semaphore);

  pthread_rwlock_wrlock(&rwlock);
  fill(by_rwlock);
  rwlock_ready = 1;
  pthread_rwlock_unlock(&rwlock);

  pthread_spin_lock(&spin);
  fill(by_spin);
  spin_ready = 1;
  pthread_spin_unlock(&spin);

  mtx_lock(&mtx);
  fill(by_mtx);
  mtx_ready = 1;
  mtx_unlock(&mtx);

  fill(by_join);
  return NULL;
}

static int c11_other(void* nothing) {
  (void)nothing;
  check(by_join);
  return 42;
}

/* Each round writes its own part and then reads the left neighbour's. */
static void* meet(void* number) {
  const int me = (int)(long)number;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 16; ++i) by_barrier[me][round * 16 + i] = round;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 16; ++i)
      if (by_barrier[(me + 1) % 4][round * 16 + i] != round)
        __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

int main(void) {
  NUMATCH_LABEL(by_create, sizeof by_create, "by_create");
  NUMATCH_LABEL(by_join, sizeof by_join, "by_join");
  NUMATCH_LABEL(by_condition, sizeof by_condition, "by_condition");
  NUMATCH_LABEL(by_semaphore, sizeof by_semaphore, "by_semaphore");
  NUMATCH_LABEL(by_rwlock, sizeof by_rwlock, "by_rwlock");
  NUMATCH_LABEL(by_spin, sizeof by_spin, "by_spin");
  NUMATCH_LABEL(by_once, sizeof by_once, "by_once");
  NUMATCH_LABEL(by_mtx, sizeof by_mtx, "by_mtx");
  NUMATCH_LABEL(by_barrier, sizeof by_barrier, "by_barrier");
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 0);
  mtx_init(&mtx, mtx_plain);
  pthread_barrier_init(&barrier, NULL, 4);

  fill(by_create);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);

  pthread_mutex_lock(&mutex);
  while (!condition_ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  check(by_condition);
  sem_wait(&semaphore);
  check(by_semaphore);
  for (int ready = 0; !ready;) {
    pthread_rwlock_rdlock(&rwlock);
    ready = rwlock_ready;
    pthread_rwlock_unlock(&rwlock);
  }
  check(by_rwlock);
  for (int ready = 0; !ready;) {
    pthread_spin_lock(&spin);
    ready = spin_ready;
    pthread_spin_unlock(&spin);
  }
  check(by_spin);
  for (int ready = 0; !ready;) {
    mtx_lock(&mtx);
    ready = mtx_ready;
    mtx_unlock(&mtx);
  }
  check(by_mtx);
  pthread_once(&once, fill_once);
  check(by_once);
  pthread_join(thread, NULL);
  check(by_join);

  thrd_t c11;
  int answer = 0;
  thrd_create(&c11, c11_other, NULL);
  thrd_join(c11, &answer);

  pthread_t four[4];
  for (long i = 0; i < 4; ++i) pthread_create(&four[i], NULL, meet, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(four[i], NULL);
  printf("%ld wrong, answer %d\n", wrong, answer);
  return wrong != 0 || answer != 42;
}
