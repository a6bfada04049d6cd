// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "qemu_api.hpp"

namespace numatch::qemu {

/// Counts instructions without a call per block, where QEMU can (9.0 and later): translated code
/// adds to a number of its virtual CPU. The inline addition of 7.2 and 8.x is of no use: all
/// threads add to one number without care for each other.
class instruction_counter {
 public:
  /// Looks for QEMU's functions; available() says whether they are there.
  void look_up();
  bool available() const { return scoreboard_ != nullptr; }
  /// Code of `block` will add `count` each time that it begins.
  void count_block(qemu_plugin_tb* block, std::uint64_t count) const;
  /// Instructions since the last clear(). From the thread that runs as `vcpu`, or while it does not
  /// run. QEMU moves the numbers when there are more virtual CPUs, so no pointer is kept.
  std::uint64_t value(unsigned vcpu) const { return *number_of(vcpu); }
  /// A number that was another thread's is not cleared by QEMU.
  void clear(unsigned vcpu) const { *number_of(vcpu) = 0; }

 private:
  struct entry {  // qemu_plugin_u64
    void* scoreboard;
    std::size_t offset;
  };
  using new_function = void* (*)(std::size_t element_bytes);
  using find_function = void* (*)(void* scoreboard, unsigned vcpu);
  using add_function = void (*)(qemu_plugin_tb*, int operation, entry, std::uint64_t value);

  std::uint64_t* number_of(unsigned vcpu) const {
    return static_cast<std::uint64_t*>(find_(scoreboard_, vcpu));
  }
  void* scoreboard_ = nullptr;
  find_function find_ = nullptr;
  add_function add_ = nullptr;
};

}  // namespace numatch::qemu
