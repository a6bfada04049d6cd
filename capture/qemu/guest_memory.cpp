// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "guest_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace numatch::qemu {

namespace {
iovec remote(std::uint64_t address, std::size_t bytes) {
  return {reinterpret_cast<void*>(address), bytes};  // NOLINT(performance-no-int-to-ptr)
}
}  // namespace

std::size_t read_guest(std::uint64_t address, void* into, std::size_t bytes) {
  const iovec here{into, bytes};
  const iovec there = remote(address, bytes);
  const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool write_guest(std::uint64_t address, const void* from, std::size_t bytes) {
  const iovec here{const_cast<void*>(from), bytes};
  const iovec there = remote(address, bytes);
  return process_vm_writev(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

std::size_t read_guest_string(std::uint64_t address, char* into, std::size_t limit) {
  std::size_t length = 0;
  while (length + 1 < limit) {
    // Never across a page border in one go: the next page may not be there.
    const std::size_t to_border = 4096 - ((address + length) & 4095);
    const std::size_t left = limit - 1 - length;
    const std::size_t got =
        read_guest(address + length, into + length, to_border < left ? to_border : left);
    if (got == 0) break;
    const std::size_t piece = strnlen(into + length, got);
    length += piece;
    if (piece < got) break;
  }
  into[length] = '\0';
  return length;
}

}  // namespace numatch::qemu
