// SPDX-License-Identifier: Apache-2.0
#include "bindings/parts.hpp"

/// numatch._core: what the package takes from the rooms of src/. The Python files around it are the
/// interface; this is not one.
NB_MODULE(_core, m) {  // NOLINT(performance-unnecessary-value-param): the macro's own signature
  m.attr("__version__") = NUMATCH_VERSION;
  numatch::python::bind_catalogue(m);
  numatch::python::bind_machine(m);
  numatch::python::bind_profile(m);
  numatch::python::bind_trace(m);
  numatch::python::bind_mapping(m);
  numatch::python::bind_simulation(m);
}
