// SPDX-License-Identifier: Apache-2.0
#include "mechanism/view_mechanism.hpp"

namespace numatch {

namespace {

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  return mvas::make_view_mechanism(values, fault_plan::kind::thread_views);
}

}  // namespace

extern const mechanism_entry mvas_entry{
    .name = "mvas",
    .summary = "MVAS: what every thread uses in its own view of memory, page by page",
    .source = "MVAS, CCGrid 2016",
    .matrix_unit = "correlated pages",
    .needs = mvas::view_needs,
    .acts = mvas::view_acts,
    .tables = mvas::view_tables,
    .parameters = mvas::view_parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
