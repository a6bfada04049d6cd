// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "live/observed_process.hpp"

namespace numatch::live {

/// Reads bytes of a process; shorter or empty when it cannot.
using memory_reader = std::function<std::string(std::uint64_t address, std::size_t bytes)>;

/// Address of a `syscall` instruction in the program's code: in the kernel's own page of it (vdso),
/// which nobody unmaps, else in a file that is mapped. nullopt: none was found.
std::optional<std::uint64_t> find_syscall_site(std::span<const mapped_range> mappings,
                                               const memory_reader& read);

}  // namespace numatch::live
