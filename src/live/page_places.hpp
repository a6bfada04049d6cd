// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace numatch::live {

/// The node (as Linux numbers it) on which each page of sensed_page_bytes of a process lies
/// (move_pages(2), which moves nothing when it gets no nodes); nullopt for those that are not in
/// memory, and for all where the kernel does not tell.
std::vector<std::optional<unsigned>> places_of_pages(pid_t process,
                                                     std::span<const page_number> pages);

}  // namespace numatch::live
