// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/verb.hpp"

namespace numatch::cli {

// The sub-commands of the verb `module`.
std::unique_ptr<command> make_module_status();
std::unique_ptr<command> make_module_build();
std::unique_ptr<command> make_module_load();
std::unique_ptr<command> make_module_unload();

}  // namespace numatch::cli
