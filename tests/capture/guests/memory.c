// SPDX-License-Identifier: Apache-2.0
// Every call that says where memory is, or where it and the threads should be.
#define _GNU_SOURCE
#include <numatch/annotate.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { page = 4096 };

int main(int argc, char** argv) {
  char* const block =
      mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NUMATCH_LABEL(block, 8 * page, "block");
  mprotect(block, page, PROT_READ);
  madvise(block + page, page, MADV_DONTNEED);
  unsigned long nodes = 1;
  syscall(SYS_mbind, block, 2 * page, 2, &nodes, 8, 1);
  syscall(SYS_set_mempolicy, 3, &nodes, 8);
  syscall(SYS_set_mempolicy, 0, NULL, 0);
  void* pages[4] = {block, block + page, block + 2 * page, block + 4 * page};
  int wanted[4] = {0, 0, 0, 0};
  int status[4];
  syscall(SYS_move_pages, 0, 4, pages, wanted, status, 2);
  syscall(SYS_move_pages, 0, 4, pages, NULL, status, 0);
  syscall(SYS_mbind, 8, 1, 2, (void*)16, 8, 0); /* a wild pointer */
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
  char* const moved = mremap(block + 4 * page, 4 * page, 64 * page, MREMAP_MAYMOVE);
  NUMATCH_LABEL(moved, 64 * page, "moved");
  munmap(moved, 64 * page);
  char* const before = sbrk(0);
  sbrk(16 * page);
  NUMATCH_LABEL(before, 16 * page, "heap");
  FILE* const file = fopen(argv[argc - 1], "r");
  char* const mapped = mmap(NULL, page, PROT_READ, MAP_SHARED, fileno(file), 0);
  NUMATCH_LABEL(mapped, page, "file");
  NUMATCH_PLACE(mapped, page, 3);
  NUMATCH_RUN_ON(2);
  NUMATCH_REGION_BEGIN("phase");
  NUMATCH_ROI_BEGIN();
  NUMATCH_ROI_END();
  NUMATCH_REGION_END("phase");
  syscall(SYS_prctl, NUMATCH_PRCTL, 24, 0, 0, 0); /* no record there */
  return 0;
}
