// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include "state.hpp"

namespace numatch::instrumented {

/// Reports memory that was just made, unless it is null; returns it.
inline void* allocated(void* memory, std::size_t bytes, std::uint64_t call_site) {
  if (memory != nullptr)
    happened(trace::event_kind::allocate,
             {reinterpret_cast<std::uint64_t>(memory), bytes, call_site});
  return memory;
}

/// Reports memory that is about to be given back.
inline void freed(void* memory) {
  if (memory != nullptr)
    happened(trace::event_kind::free, {reinterpret_cast<std::uint64_t>(memory)});
}

}  // namespace numatch::instrumented

/// The return address: where in the program the memory was asked for.
#define NUMATCH_CALL_SITE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
