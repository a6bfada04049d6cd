// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "mapping/mapper.hpp"

namespace numatch {

/// The mapping of least cost, by branch and bound; nothing where that would take more than
/// `most_operations` additions and comparisons. Keeps limits and pins; does not look at the current
/// mapping.
std::optional<thread_mapping> map_exactly(const mapping_request& request,
                                          std::uint64_t most_operations);

}  // namespace numatch
