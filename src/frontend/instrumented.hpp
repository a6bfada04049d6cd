// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/launch.hpp"
#include "frontend/program_file.hpp"

namespace numatch::frontend {

/// A program that was built with numatch-cc, -c++ or -fc: it records itself when it finds a
/// session. An error when it carries no run-time.
result<launch_plan> plan_instrumented(const program_file& program,
                                      const std::filesystem::path& session);

}  // namespace numatch::frontend
