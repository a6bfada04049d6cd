// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "frontend/program_file.hpp"

namespace numatch::frontend {

enum class kind { qemu, instrumented };

std::string_view name_of(kind frontend);

/// "qemu", "instrumented", or "auto": instrumented when the program carries the run-time of
/// numatch-cc, else qemu. Another word is an error that names the nearest one.
result<kind> choose(std::string_view word, const program_file& program);

}  // namespace numatch::frontend
