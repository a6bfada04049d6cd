// SPDX-License-Identifier: Apache-2.0
#include "bindings/errors.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace numatch::python {

namespace nb = nanobind;

void raise(const error& problem) {
  const nb::object type = nb::module_::import_("numatch.errors").attr("NumatchError");
  const nb::object made = type(problem.what, problem.where, problem.hint);
  PyErr_SetObject(type.ptr(), made.ptr());
  throw nb::python_error();
}

}  // namespace numatch::python
