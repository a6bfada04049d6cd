// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Accesses of many bytes: structure copies, and the C library's copying and string functions, whose
// own loads and stores are not instrumented. gcc calls the C library (seen through the linker's
// --wrap), clang calls __tsan_memcpy and its kin.
#include <cstring>

#include "state.hpp"

namespace numatch::instrumented {

namespace {

// A structure copy that is too long for inline code is a range write, then a call of memcpy or
// memset: the call's machine code follows within this distance and must not count twice.
constexpr std::uintptr_t copy_call_distance = 128;

bool is_structure_copy(std::uintptr_t pc, const void* to, std::size_t bytes) {
  thread_state& thread = this_thread;
  const bool same = thread.range_address == reinterpret_cast<std::uintptr_t>(to) &&
                    thread.range_bytes == bytes && pc > thread.range_pc &&
                    pc - thread.range_pc < copy_call_distance;
  thread.range_bytes = 0;
  return same;
}

void reads(std::uintptr_t pc, const void* from, std::size_t bytes) {
  const recording record;
  if (record)
    access_range(record.recorder(), pc, reinterpret_cast<std::uintptr_t>(from), bytes, false);
}

void writes(std::uintptr_t pc, const void* to, std::size_t bytes) {
  const recording record;
  if (record)
    access_range(record.recorder(), pc, reinterpret_cast<std::uintptr_t>(to), bytes, true);
}

/// A cache line of reads, then a cache line of writes, and so on, as a copy loop does it.
void copies(std::uintptr_t pc, const void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t piece = 64;
  const recording record;
  if (!record) return;
  const std::uintptr_t target = reinterpret_cast<std::uintptr_t>(to);
  const std::uintptr_t source = reinterpret_cast<std::uintptr_t>(from);
  for (std::size_t done = 0; done < bytes; done += piece) {
    const std::size_t now = bytes - done < piece ? bytes - done : piece;
    access_range(record.recorder(), pc, source + done, now, false);
    access_range(record.recorder(), pc, target + done, now, true);
  }
}

bool sees() {
  return this_thread.now != phase::off;
}

}  // namespace
}  // namespace numatch::instrumented

using namespace numatch::instrumented;

NUMATCH_ENTRY void __tsan_read_range(void* from, std::size_t bytes);
NUMATCH_ENTRY void __tsan_read_range(void* from, std::size_t bytes) {
  if (sees()) reads(NUMATCH_CALLER, from, bytes);
}
NUMATCH_ENTRY void __tsan_write_range(void* to, std::size_t bytes);
NUMATCH_ENTRY void __tsan_write_range(void* to, std::size_t bytes) {
  if (!sees()) return;
  writes(NUMATCH_CALLER, to, bytes);
  this_thread.range_pc = NUMATCH_CALLER;
  this_thread.range_address = reinterpret_cast<std::uintptr_t>(to);
  this_thread.range_bytes = bytes;
}

#define NUMATCH_COPY_BEFORE(to, from, bytes)                   \
  if (sees() && !is_structure_copy(NUMATCH_CALLER, to, bytes)) \
  copies(NUMATCH_CALLER, to, from, bytes)

NUMATCH_WRAP(void*, memcpy, void* to, const void* from, std::size_t bytes) {
  NUMATCH_COPY_BEFORE(to, from, bytes);
  return __real_memcpy(to, from, bytes);
}
NUMATCH_WRAP(void*, memmove, void* to, const void* from, std::size_t bytes) {
  NUMATCH_COPY_BEFORE(to, from, bytes);
  return __real_memmove(to, from, bytes);
}
NUMATCH_WRAP(void*, mempcpy, void* to, const void* from, std::size_t bytes) {
  NUMATCH_COPY_BEFORE(to, from, bytes);
  return __real_mempcpy(to, from, bytes);
}
NUMATCH_WRAP(void*, memset, void* to, int value, std::size_t bytes) {
  if (sees() && !is_structure_copy(NUMATCH_CALLER, to, bytes)) writes(NUMATCH_CALLER, to, bytes);
  return __real_memset(to, value, bytes);
}

// The same with the checks of _FORTIFY_SOURCE.
NUMATCH_WRAP(void*, __memcpy_chk, void* to, const void* from, std::size_t bytes, std::size_t room) {
  NUMATCH_COPY_BEFORE(to, from, bytes);
  return __real___memcpy_chk(to, from, bytes, room);
}
NUMATCH_WRAP(void*, __memmove_chk, void* to, const void* from, std::size_t bytes,
             std::size_t room) {
  NUMATCH_COPY_BEFORE(to, from, bytes);
  return __real___memmove_chk(to, from, bytes, room);
}
NUMATCH_WRAP(void*, __memset_chk, void* to, int value, std::size_t bytes, std::size_t room) {
  if (sees()) writes(NUMATCH_CALLER, to, bytes);
  return __real___memset_chk(to, value, bytes, room);
}

// clang's own calls.
NUMATCH_ENTRY void* __tsan_memcpy(void* to, const void* from, std::size_t bytes);
NUMATCH_ENTRY void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  if (sees()) copies(NUMATCH_CALLER, to, from, bytes);
  return __real_memcpy(to, from, bytes);
}
NUMATCH_ENTRY void* __tsan_memmove(void* to, const void* from, std::size_t bytes);
NUMATCH_ENTRY void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  if (sees()) copies(NUMATCH_CALLER, to, from, bytes);
  return __real_memmove(to, from, bytes);
}
NUMATCH_ENTRY void* __tsan_memset(void* to, int value, std::size_t bytes);
NUMATCH_ENTRY void* __tsan_memset(void* to, int value, std::size_t bytes) {
  if (sees()) writes(NUMATCH_CALLER, to, bytes);
  return __real_memset(to, value, bytes);
}

// Strings: what the function must look at, the end of the string included.
NUMATCH_WRAP(std::size_t, strlen, const char* text) {
  const std::size_t length = __real_strlen(text);
  if (sees()) reads(NUMATCH_CALLER, text, length + 1);
  return length;
}
NUMATCH_WRAP(char*, strcpy, char* to, const char* from) {
  if (sees()) copies(NUMATCH_CALLER, to, from, __real_strlen(from) + 1);
  return __real_strcpy(to, from);
}
NUMATCH_WRAP(char*, stpcpy, char* to, const char* from) {
  if (sees()) copies(NUMATCH_CALLER, to, from, __real_strlen(from) + 1);
  return __real_stpcpy(to, from);
}
NUMATCH_WRAP(char*, strncpy, char* to, const char* from, std::size_t room) {
  if (sees()) {
    const std::size_t length = strnlen(from, room);
    reads(NUMATCH_CALLER, from, length < room ? length + 1 : room);
    writes(NUMATCH_CALLER, to, room);
  }
  return __real_strncpy(to, from, room);
}
NUMATCH_WRAP(char*, strcat, char* to, const char* from) {
  if (sees()) {
    const std::size_t length = __real_strlen(to);
    reads(NUMATCH_CALLER, to, length + 1);
    copies(NUMATCH_CALLER, to + length, from, __real_strlen(from) + 1);
  }
  return __real_strcat(to, from);
}

namespace {

/// Bytes up to and including the first difference, `most` at most.
std::size_t compared(const char* a, const char* b, std::size_t most, bool strings) {
  std::size_t i = 0;
  while (i < most && a[i] == b[i] && (!strings || a[i] != '\0')) ++i;
  return i < most ? i + 1 : most;
}

}  // namespace

NUMATCH_WRAP(int, memcmp, const void* a, const void* b, std::size_t bytes) {
  if (sees()) {
    const std::size_t seen =
        compared(static_cast<const char*>(a), static_cast<const char*>(b), bytes, false);
    reads(NUMATCH_CALLER, a, seen);
    reads(NUMATCH_CALLER, b, seen);
  }
  return __real_memcmp(a, b, bytes);
}
NUMATCH_WRAP(int, strcmp, const char* a, const char* b) {
  if (sees()) {
    const std::size_t seen = compared(a, b, ~std::size_t{0}, true);
    reads(NUMATCH_CALLER, a, seen);
    reads(NUMATCH_CALLER, b, seen);
  }
  return __real_strcmp(a, b);
}
NUMATCH_WRAP(int, strncmp, const char* a, const char* b, std::size_t most) {
  if (sees()) {
    const std::size_t seen = compared(a, b, most, true);
    reads(NUMATCH_CALLER, a, seen);
    reads(NUMATCH_CALLER, b, seen);
  }
  return __real_strncmp(a, b, most);
}
NUMATCH_WRAP(void*, memchr, const void* from, int value, std::size_t bytes) {
  void* const found = __real_memchr(from, value, bytes);
  if (sees())
    reads(NUMATCH_CALLER, from,
          found == nullptr ? bytes
                           : static_cast<std::size_t>(static_cast<char*>(found) -
                                                      static_cast<const char*>(from)) +
                                 1);
  return found;
}
