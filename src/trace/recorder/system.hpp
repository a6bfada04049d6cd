// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>

// Linux system calls without the C library: its functions may be wrapped in an instrumented
// program, and would change the program's errno. A negative result is -errno.

namespace numatch::trace::linux_call {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  long outcome;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(outcome)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return outcome;
}

inline long address(const void* p) {
  return static_cast<long>(reinterpret_cast<std::uintptr_t>(p));
}

inline int open(const char* path, int flags) {
  return static_cast<int>(call(__NR_openat, AT_FDCWD, address(path), flags | O_CLOEXEC));
}
inline void close(int fd) {
  call(__NR_close, fd);
}
/// A high number, out of the way of programs that count on low ones.
inline int move_up(int fd) {
  const long moved = call(__NR_fcntl, fd, F_DUPFD_CLOEXEC, 700);
  if (moved < 0) return fd;
  close(fd);
  return static_cast<int>(moved);
}
inline long file_status(int fd, struct stat* status) {
  return call(__NR_fstat, fd, address(status));
}
inline long write_at(int fd, const void* bytes, std::size_t count, std::uint64_t offset) {
  return call(__NR_pwrite64, fd, address(bytes), static_cast<long>(count),
              static_cast<long>(offset));
}
inline long reserve(int fd, std::uint64_t offset, std::size_t bytes) {
  return call(__NR_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(bytes));
}
inline void yield() {
  call(__NR_sched_yield);
}

/// Null on failure. `fd` < 0: private anonymous memory.
inline void* map(void* where, std::size_t bytes, int flags, int fd, std::uint64_t offset) {
  if (fd < 0) flags |= MAP_ANONYMOUS;
  const long at = call(__NR_mmap, address(where), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                       flags, fd, static_cast<long>(offset));
  if (at < 0 && at > -4096) return nullptr;
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(at));
}
inline void* map_private(std::size_t bytes) {
  return map(nullptr, bytes, MAP_PRIVATE | MAP_NORESERVE, -1, 0);
}
inline void unmap(void* p, std::size_t bytes) {
  call(__NR_munmap, address(p), static_cast<long>(bytes));
}
inline void wipe_on_fork(void* p, std::size_t bytes) {
  call(__NR_madvise, address(p), static_cast<long>(bytes), MADV_WIPEONFORK);
}

}  // namespace numatch::trace::linux_call
