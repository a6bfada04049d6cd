// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "frontend/launch.hpp"
#include "frontend/program_file.hpp"

namespace numatch::frontend {

struct qemu_options {
  std::filesystem::path session;  ///< trace::session::path()
  bool allocations = true;        ///< preload the allocation shim
};

/// qemu-x86_64 with the capture plugin, around `program`. QEMU is $NUMATCH_QEMU, or the one of
/// PATH; it must have been built with plugins (Debian 12's is; Debian 13's is not, it is static).
result<launch_plan> plan_qemu(const program_file& program, const qemu_options& options);

/// What a person should know about how the program ended, when QEMU is the likely reason.
std::optional<error> explain_qemu_end(const program_file& program, const outcome& ended);

}  // namespace numatch::frontend
