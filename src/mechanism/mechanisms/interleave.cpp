// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array acts{action_kind::place_new};

result<std::unique_ptr<mechanism>> make(const parameter_set&) {
  return std::make_unique<start_policy>(start_policy::choice{.pages = page_placing::interleave});
}

}  // namespace

extern const mechanism_entry interleave_entry{
    .name = "interleave",
    .summary = "pages go to the nodes in turn",
    .source = "Linux' MPOL_INTERLEAVE; the baseline of LAPT section IV-A and SAMMU section 3.1",
    .matrix_unit = "",
    .needs = {},
    .acts = acts,
    .tables = {},
    .parameters = {},
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
