// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <filesystem>

#include "base/result.hpp"
#include "reproduce/suite.hpp"

namespace numatch::reproduce {

/// A [[class]] of a suite, or of one of its papers. Errors as of read_suite().
result<suite_class> read_class(const std::filesystem::path& file, const toml::table& table);

/// A [[paper]] of a suite whose programs and classes were read. Errors as of read_suite(), and
/// names of programs, classes and columns that do not exist.
result<suite_paper> read_paper(const std::filesystem::path& file, const toml::table& table,
                               const suite& so_far);

}  // namespace numatch::reproduce
