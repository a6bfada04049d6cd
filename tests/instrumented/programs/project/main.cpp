// SPDX-License-Identifier: Apache-2.0
#include <numatch/annotate.h>

#include <cstdio>
#include <thread>

extern "C" long halve(long* values, int n);
extern "C" void third(long* values, int n);

static long values[1000];

int main() {
  NUMATCH_LABEL(values, sizeof values, "values");
  for (long i = 0; i < 1000; ++i) values[i] = 6 * i;
  std::thread([] { third(values, 1000); }).join();
  std::printf("%ld\n", halve(values, 1000));
}
