// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stress {

/// Memory of one thread in which it does what makes the kernel change page tables.
class arena {
 public:
  arena();
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// Addresses that were not used before, until all have been; nothing is mapped there.
  char* fresh(std::size_t pages);

 private:
  char* first_ = nullptr;
  std::size_t used_ = 0;
};

/// What an operation may use. The shared pages are written by all threads at any time.
struct surroundings {
  arena& own;
  std::span<char> shared;
  std::uint64_t random = 0;  ///< another one each time
};

/// Does something to memory and reads it back; false when a byte is not what it must be. Throws
/// std::system_error when the system refuses.
struct operation {
  std::string_view name;
  bool (*run)(surroundings& in);
};

std::span<const operation> all_operations();

}  // namespace stress
