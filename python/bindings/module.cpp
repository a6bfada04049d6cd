// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

/// numatch._core: what the package takes from the rooms of src/. The Python files around it are the
/// interface; this is not one.
NB_MODULE(_core, m) {  // NOLINT(performance-unnecessary-value-param): the macro's own signature
  m.attr("__version__") = NUMATCH_VERSION;
}
