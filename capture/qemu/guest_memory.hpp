// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace numatch::qemu {

// The program's memory lies at its own addresses inside the QEMU process. Its pointers are not
// trusted: a wild one makes these functions return 0 or false, never a fault. Thread safe.

/// Copies up to `bytes` from the program; returns how many there were.
std::size_t read_guest(std::uint64_t address, void* into, std::size_t bytes);
bool write_guest(std::uint64_t address, const void* from, std::size_t bytes);

template <class T>
bool read_guest_value(std::uint64_t address, T& into) {
  return read_guest(address, &into, sizeof into) == sizeof into;
}

/// A string of the program with at most `limit` - 1 characters; returns its length.
std::size_t read_guest_string(std::uint64_t address, char* into, std::size_t limit);

}  // namespace numatch::qemu
