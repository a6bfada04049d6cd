// SPDX-License-Identifier: Apache-2.0
#include "frontend/instrumented.hpp"

#include "frontend/passive_waiting.hpp"

namespace numatch::frontend {

result<launch_plan> plan_instrumented(const program_file& program,
                                      const std::filesystem::path& session) {
  if (!program.instrumented) {
    return fail(program.path.string(), "was not built with numatch-cc",
                "build it with numatch-cc, numatch-c++ or numatch-fc, or use --frontend qemu");
  }
  launch_plan plan;
  plan.executable = program.path;
  plan.arguments = program.arguments;
  plan.environment["NUMATCH_SESSION"] = session.string();
  wait_passively(plan);
  return plan;
}

}  // namespace numatch::frontend
