// SPDX-License-Identifier: Apache-2.0
#include "ring_program/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ring {

namespace {

constexpr std::size_t huge_bytes = std::size_t{2} << 20U;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// An object of `bytes` zero bytes, or -1 for anonymous memory.
int object_of(const options& chosen, std::size_t bytes) {
  if (chosen.memory == memory_kind::anonymous) return -1;
  const int object = chosen.memory == memory_kind::memfd
                         ? memfd_create("ring", MFD_CLOEXEC)
                         : open(chosen.file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (object < 0) fail("cannot make the shared object");
  if (ftruncate(object, static_cast<off_t>(bytes)) != 0) fail("cannot size the shared object");
  return object;
}

}  // namespace

memory::memory(const options& chosen, std::size_t pages) {
  const std::size_t bytes = pages * page_bytes;
  const int object = object_of(chosen, bytes);
  // Address space first, so that the mapping can start at a multiple of 2 MiB.
  mapped_bytes_ = bytes + huge_bytes;
  mapped_ = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped_ == MAP_FAILED) fail("cannot reserve memory");
  char* const reserved = static_cast<char*>(mapped_);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(mapped_) % huge_bytes;
  char* const start = reserved + (past == 0 ? 0 : huge_bytes - past);
  const int kind = object < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  if (mmap(start, bytes, PROT_READ | PROT_WRITE, kind | MAP_FIXED, object, 0) == MAP_FAILED) {
    fail("cannot map memory");
  }
  if (object >= 0) close(object);
  // Without small pages, one huge page could hold the pages of many threads.
  if (madvise(start, bytes, chosen.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0 && chosen.huge) {
    fail("cannot ask for huge pages");
  }
  base_ = reinterpret_cast<std::uint64_t*>(start);
  bytes_ = bytes;
}

void memory::lock() const {
  if (mlock(base_, bytes_) != 0) fail("cannot lock memory");
}

memory::~memory() {
  munmap(mapped_, mapped_bytes_);
}

}  // namespace ring
