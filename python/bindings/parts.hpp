// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

// The parts of numatch._core, one file each. They show what the rooms have, in plain arrays,
// numbers and texts; what a user sees is python/numatch/.

namespace numatch::python {

void bind_catalogue(nanobind::module_& m);
void bind_machine(nanobind::module_& m);
void bind_mapping(nanobind::module_& m);
void bind_profile(nanobind::module_& m);
void bind_simulation(nanobind::module_& m);
void bind_trace(nanobind::module_& m);

}  // namespace numatch::python
