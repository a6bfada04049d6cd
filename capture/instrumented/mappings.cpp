// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The program's calls that change its address space, with their results.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>

#include "state.hpp"

using namespace numatch::instrumented;
using numatch::trace::event_kind;

namespace {

std::uint64_t number(const void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

/// The path behind a descriptor, without snprintf.
std::size_t path_of(int fd, char* path, std::size_t room) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  std::size_t count = 0;
  for (int left = fd; left > 0 || count == 0; left /= 10)
    digits[count++] = static_cast<char>('0' + left % 10);
  std::size_t end = strlen(link);
  while (count > 0) link[end++] = digits[--count];
  link[end] = '\0';
  const long got = syscall(SYS_readlinkat, -100, link, path, room);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

void mapped(void* made, std::size_t bytes, int protection, int flags, int fd, long offset) {
  if (made == MAP_FAILED || this_thread.now == phase::off) return;
  const recording record;
  if (!record) return;
  char path[1024];
  const bool of_file = fd >= 0 && (flags & MAP_ANONYMOUS) == 0;
  const std::size_t length = of_file ? path_of(fd, path, sizeof path) : 0;
  record.event(event_kind::map,
               {number(made), bytes, static_cast<std::uint64_t>(protection),
                static_cast<std::uint64_t>(flags), static_cast<std::uint64_t>(offset)},
               path, length);
}

}  // namespace

NUMATCH_WRAP(void*, mmap, void* where, std::size_t bytes, int protection, int flags, int fd,
             long offset) {
  void* const made = __real_mmap(where, bytes, protection, flags, fd, offset);
  mapped(made, bytes, protection, flags, fd, offset);
  return made;
}
NUMATCH_WRAP(void*, mmap64, void* where, std::size_t bytes, int protection, int flags, int fd,
             long offset) {
  void* const made = __real_mmap64(where, bytes, protection, flags, fd, offset);
  mapped(made, bytes, protection, flags, fd, offset);
  return made;
}
NUMATCH_WRAP(int, munmap, void* where, std::size_t bytes) {
  happened(event_kind::unmap, {number(where), bytes});
  return __real_munmap(where, bytes);
}
NUMATCH_WRAP(void*, mremap, void* where, std::size_t bytes, std::size_t new_bytes, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void* const wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  void* const made = __real_mremap(where, bytes, new_bytes, flags, wanted);
  if (made != MAP_FAILED)
    happened(event_kind::remap, {number(where), bytes, number(made), new_bytes});
  return made;
}
NUMATCH_WRAP(int, mprotect, void* where, std::size_t bytes, int protection) {
  const int outcome = __real_mprotect(where, bytes, protection);
  if (outcome == 0)
    happened(event_kind::protect, {number(where), bytes, static_cast<std::uint64_t>(protection)});
  return outcome;
}
NUMATCH_WRAP(int, madvise, void* where, std::size_t bytes, int advice) {
  const int outcome = __real_madvise(where, bytes, advice);
  if (outcome == 0)
    happened(event_kind::advise, {number(where), bytes, static_cast<std::uint64_t>(advice)});
  return outcome;
}
NUMATCH_WRAP(int, brk, void* end) {
  const int outcome = __real_brk(end);
  if (outcome == 0) happened(event_kind::heap_end, {number(end)});
  return outcome;
}
NUMATCH_WRAP(void*, sbrk, std::intptr_t bytes) {
  void* const old = __real_sbrk(bytes);
  if (number(old) != ~std::uint64_t{0} && bytes != 0)
    happened(event_kind::heap_end, {number(old) + static_cast<std::uint64_t>(bytes)});
  return old;
}
