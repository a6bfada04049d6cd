/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

/* In a shared library: an OpenMP loop, a copy, an allocation. */
long halve(long* values, int n) {
  long* copy = malloc(sizeof *copy * (size_t)n);
  memcpy(copy, values, sizeof *copy * (size_t)n);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < n; ++i) values[i] = copy[i] / 2;
  free(copy);
  return values[n - 1];
}
