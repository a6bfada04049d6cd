// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "live/system_tree.hpp"

// Where the kernel module's sources are, and the modules that were built of them.

namespace numatch::live {

/// The folder with Kbuild and Makefile: $NUMATCH_MODULE, the installed one, or this source tree's.
result<std::string> module_sources();

/// Where `numatch module build` puts the module for a kernel unless said:
/// $XDG_CACHE_HOME/numatch/module/RELEASE, or ~/.cache for that. An error where there is no home.
result<std::string> module_folder(const std::string& release);

/// The file that modprobe would load for this kernel, by its index; nullopt: none.
std::optional<std::string> installed_module(const system_tree& tree, const std::string& release);

/// The kernel that a module was built for, as its file says (the first word of vermagic); an error
/// when the file cannot be read or is none.
result<std::string> release_of_module(const std::string& file);

/// The same of the content of such a file; nullopt: it says nothing.
std::optional<std::string> release_of_module_bytes(const std::string& bytes);

}  // namespace numatch::live
