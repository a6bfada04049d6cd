// SPDX-License-Identifier: Apache-2.0
// Memory from everywhere, and the calls that say where it should be. Prints the addresses.
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

struct alignas(64) line {
  char bytes[64];
};

int main() {
  void* blocks[] = {malloc(101),   calloc(3, 34), aligned_alloc(64, 128), nullptr,
                    new char[103], new line,      strdup("text"),         nullptr};
  if (posix_memalign(&blocks[3], 256, 104) != 0) return 1;
  blocks[7] = realloc(malloc(50), 5000);
  for (void* block : blocks) std::printf("%lx\n", reinterpret_cast<unsigned long>(block));
  delete[] static_cast<char*>(blocks[4]);
  delete static_cast<line*>(blocks[5]);
  for (int i : {0, 1, 2, 3, 6, 7}) free(blocks[i]);

  char* map =
      static_cast<char*>(mmap(nullptr, 4 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::printf("%lx\n", reinterpret_cast<unsigned long>(map));
  mprotect(map, 4 * 4096, PROT_READ | PROT_WRITE);
  madvise(map, 4096, MADV_DONTNEED);
  syscall(SYS_mbind, map, 4096UL, 0, nullptr, 0UL, 0U);  // MPOL_DEFAULT
  char* moved = static_cast<char*>(mremap(map, 4 * 4096, 8 * 4096, MREMAP_MAYMOVE));
  munmap(moved, 8 * 4096);
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
  pthread_setname_np(pthread_self(), "renamed");
  return 0;
}
