// SPDX-License-Identifier: Apache-2.0
#include "frontend/passive_waiting.hpp"

#include <cstdlib>

namespace numatch::frontend {

void wait_passively(launch_plan& plan) {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) plan.environment["OMP_WAIT_POLICY"] = "passive";
  if (std::getenv("GOMP_SPINCOUNT") == nullptr) plan.environment["GOMP_SPINCOUNT"] = "0";
}

}  // namespace numatch::frontend
