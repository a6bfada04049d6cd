// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"

namespace numatch::cli {

/// Becomes the Python program `main(words)` of a module of the Python package numatch, and returns
/// only with an error. `$NUMATCH_PYTHON` names the interpreter, python3 unless said. Where the
/// package or one that the module needs is missing, that program says what to install and ends
/// with code 2. The current folder is not searched for packages.
error become_python(const std::string& module, const std::string& argument);

}  // namespace numatch::cli
