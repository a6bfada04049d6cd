// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numatch {

/// Where machine descriptions (NAME.toml) are looked for, first hit wins: the folders of
/// $NUMATCH_MACHINES (separated by ':'), share/numatch/machines beside the program's folder,
/// machines/ beside the shared library where this code is in one, share/numatch/machines under the
/// prefix of the build, the source tree of the build.
std::vector<std::filesystem::path> machine_folders();

/// The description file of a machine name.
std::optional<std::filesystem::path> find_machine(std::string_view name);

/// All names, sorted, each once.
std::vector<std::string> machine_names();

}  // namespace numatch
