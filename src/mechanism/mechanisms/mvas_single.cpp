// SPDX-License-Identifier: Apache-2.0
#include "mechanism/view_mechanism.hpp"

namespace numatch {

namespace {

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  return mvas::make_view_mechanism(values, fault_plan::kind::all_pages);
}

}  // namespace

extern const mechanism_entry mvas_single_entry{
    .name = "mvas-single",
    .summary = "MVAS with one view for all threads: only the first thread on a page is seen",
    .source = "MVAS section V-C, the single-view variant",
    .matrix_unit = "correlated pages",
    .needs = mvas::view_needs,
    .acts = mvas::view_acts,
    .tables = mvas::view_tables,
    .parameters = mvas::view_parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
