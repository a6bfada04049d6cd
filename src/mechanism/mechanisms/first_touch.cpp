// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "mechanism/policy.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array acts{action_kind::place_new};

constexpr std::array parameters{acts_on_pages_parameter};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  const bool acting = acts_on_named(read.word("act-on", acts_on_pages_words)).pages;
  if (read.problem()) return tl::unexpected(*read.problem());
  start_policy::choice chosen;
  if (acting) chosen.pages = page_placing::first_touch;
  return std::make_unique<start_policy>(chosen);
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
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
