// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Where the program's memory comes from: allocate and free events with the call site. An allocation
// is reported after it is made, a free before, so that two threads' events about the same address
// come in the right order.
#include "allocations.hpp"

#include <malloc.h>

#include <cstdlib>
#include <cstring>

using namespace numatch::instrumented;

NUMATCH_WRAP(void*, malloc, std::size_t bytes) {
  return allocated(__real_malloc(bytes), bytes, NUMATCH_CALL_SITE);
}
NUMATCH_WRAP(void*, calloc, std::size_t count, std::size_t bytes) {
  return allocated(__real_calloc(count, bytes), count * bytes, NUMATCH_CALL_SITE);
}
NUMATCH_WRAP(void*, aligned_alloc, std::size_t alignment, std::size_t bytes) {
  return allocated(__real_aligned_alloc(alignment, bytes), bytes, NUMATCH_CALL_SITE);
}
NUMATCH_WRAP(void*, memalign, std::size_t alignment, std::size_t bytes) {
  return allocated(__real_memalign(alignment, bytes), bytes, NUMATCH_CALL_SITE);
}
NUMATCH_WRAP(void*, valloc, std::size_t bytes) {
  return allocated(__real_valloc(bytes), bytes, NUMATCH_CALL_SITE);
}
NUMATCH_WRAP(int, posix_memalign, void** made, std::size_t alignment, std::size_t bytes) {
  const int outcome = __real_posix_memalign(made, alignment, bytes);
  if (outcome == 0) allocated(*made, bytes, NUMATCH_CALL_SITE);
  return outcome;
}
NUMATCH_WRAP(void, free, void* memory) {
  freed(memory);
  __real_free(memory);
}

namespace {

/// A failed realloc leaves the old memory as it is; a free event before it would be wrong then, so
/// it is written before and taken back by a new allocate event of what was there.
void* resized(void* old, void* now, std::size_t bytes, std::size_t old_bytes, std::uint64_t site) {
  if (now != nullptr) return allocated(now, bytes, site);
  if (old != nullptr && bytes != 0) allocated(old, old_bytes, site);
  return nullptr;
}

}  // namespace

NUMATCH_WRAP(void*, realloc, void* old, std::size_t bytes) {
  if (this_thread.now == phase::off) return __real_realloc(old, bytes);
  const std::size_t old_bytes = old == nullptr ? 0 : malloc_usable_size(old);
  freed(old);
  return resized(old, __real_realloc(old, bytes), bytes, old_bytes, NUMATCH_CALL_SITE);
}
NUMATCH_WRAP(void*, reallocarray, void* old, std::size_t count, std::size_t bytes) {
  if (this_thread.now == phase::off) return __real_reallocarray(old, count, bytes);
  const std::size_t old_bytes = old == nullptr ? 0 : malloc_usable_size(old);
  freed(old);
  return resized(old, __real_reallocarray(old, count, bytes), count * bytes, old_bytes,
                 NUMATCH_CALL_SITE);
}

// The C library's copying allocators call malloc inside it.
NUMATCH_WRAP(char*, strdup, const char* text) {
  char* const copy = __real_strdup(text);
  if (copy != nullptr) allocated(copy, strlen(copy) + 1, NUMATCH_CALL_SITE);
  return copy;
}
NUMATCH_WRAP(char*, strndup, const char* text, std::size_t most) {
  char* const copy = __real_strndup(text, most);
  if (copy != nullptr) allocated(copy, strlen(copy) + 1, NUMATCH_CALL_SITE);
  return copy;
}
