// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"

namespace numatch::live {

struct module_build {
  std::string sources;  ///< folder
  std::string headers;  ///< of a kernel, as /lib/modules/RELEASE/build
  std::string folder;   ///< what is built lies there, and `log`
};

/// The file of the module, built by `make` and the kernel's own build system. Errors: headers or
/// make are missing, the folder cannot be written, it does not compile (with the compiler's first
/// complaint).
result<std::string> build_module(const module_build& wanted);

/// The first line of a compiler's log that says what is wrong; empty: none does.
std::string first_complaint(const std::string& log);

}  // namespace numatch::live
