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
  if (acting) chosen.pages = page_placing::interleave;
  return std::make_unique<start_policy>(chosen);
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
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
