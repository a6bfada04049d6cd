// SPDX-License-Identifier: Apache-2.0
// One allocation of a size of its own through each function.
#include <malloc.h>
#include <numatch/annotate.h>

#include <cstdlib>
#include <new>

namespace {

[[gnu::noinline]] void* call_malloc(std::size_t bytes) {
  void* volatile memory = std::malloc(bytes);
  return memory;
}

[[gnu::noinline]] char* call_new(std::size_t bytes) {
  char* volatile memory = new char[bytes];
  return memory;
}

struct alignas(64) wide {
  char bytes[20011 * 64];
};

}  // namespace

int main() {
  NUMATCH_LABEL(&call_malloc, 64, "malloc's caller");
  NUMATCH_LABEL(&call_new, 64, "new's caller");
  std::free(call_malloc(20001));
  delete[] call_new(20002);
  void* volatile kept = std::calloc(3, 6671);
  void* volatile grown = std::realloc(kept, 20014);
  std::free(grown);
  kept = std::aligned_alloc(64, 20032);
  std::free(kept);
  void* aligned = nullptr;
  if (posix_memalign(&aligned, 128, 20005) != 0) return 1;
  std::free(aligned);
  wide* volatile big = new wide;
  delete big;
  volatile std::size_t too_much = std::size_t{1} << 62;
  char* volatile none = new (std::nothrow) char[too_much];
  if (none != nullptr) return 2;
  bool refused = false;
  try {
    none = new char[too_much];
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  return refused ? 0 : 3;
}
