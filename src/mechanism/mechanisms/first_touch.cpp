// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array acts{action_kind::place_new};

result<std::unique_ptr<mechanism>> make(const parameter_set&) {
  return std::make_unique<start_policy>(start_policy::choice{.pages = page_placing::first_touch});
}

}  // namespace

extern const mechanism_entry first_touch_entry{
    .name = "first-touch",
    .summary = "a page lies on the node of the thread that touches it first",
    .source = "Linux' default policy; the baseline of SAMMU section 3.2",
    .matrix_unit = "",
    .needs = {},
    .acts = acts,
    .tables = {},
    .parameters = {},
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
