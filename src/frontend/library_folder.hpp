// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace numatch::frontend {

/// Where a library of numatch that runs inside programs lies: in $NUMATCH_LIBDIR when that is set,
/// else in lib/numatch beside the executable (build tree) or beside its folder (installed).
result<std::filesystem::path> find_capture_library(std::string_view file_name);

}  // namespace numatch::frontend
