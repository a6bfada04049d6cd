/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenMP team of four: each thread fills its part, a barrier, each reads its neighbour's part, a
   sum under a critical section, then a second region. The result is checked. */
#include <numatch/annotate.h>
#include <omp.h>
#include <stdio.h>

enum { threads = 4, part = 4096 };
static long values[threads][part], copies[threads][part];
static long total;
static long reduced;
static long in_tasks[8], for_tasks[8];

int main(void) {
  NUMATCH_LABEL(values, sizeof values, "values");
  NUMATCH_LABEL(copies, sizeof copies, "copies");
  NUMATCH_LABEL(&total, sizeof total, "total");
  NUMATCH_LABEL(in_tasks, sizeof in_tasks, "in_tasks");
  NUMATCH_LABEL(for_tasks, sizeof for_tasks, "for_tasks");
  omp_set_num_threads(threads);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < part; ++i) values[me][i] = me + 1;
#pragma omp barrier
    long sum = 0;
    for (int i = 0; i < part; ++i) sum += values[(me + 1) % threads][i];
#pragma omp critical
    total += sum;
  }
#pragma omp parallel for reduction(+ : reduced)
  for (int i = 0; i < threads * part; ++i) {
    copies[i / part][i % part] = values[i / part][i % part];
    reduced += copies[i / part][i % part];
  }
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 8; ++i) {
      for_tasks[i] = reduced;
#pragma omp task firstprivate(i)
      in_tasks[i] = for_tasks[i] + i;
    }
#pragma omp taskwait
    for (int i = 0; i < 8; ++i) reduced += in_tasks[i];
  }
  printf("%ld %ld\n", total, reduced);
  return total == 10L * part && reduced == 9 * 10L * part + 28 ? 0 : 1;
}
