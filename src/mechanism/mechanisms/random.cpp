// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "mechanism/policy.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array acts{action_kind::place_new};
constexpr std::array parameters{
    parameter{"act-on", "both", "", "what is drawn: both, threads, pages or none",
              "LAPT section IV-B draws a thread and a data mapping"},
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  const acts_on drawn = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  start_policy::choice chosen;
  if (drawn.pages) chosen.pages = page_placing::random;
  if (drawn.threads) chosen.threads = thread_placing::random;
  return std::make_unique<start_policy>(chosen);
}

}  // namespace

extern const mechanism_entry random_entry{
    .name = "random",
    .summary = "threads and pages start where the seed draws them",
    .source = "LAPT section IV-B and SAMMU section 3.2: another draw for every run",
    .matrix_unit = "",
    .needs = {},
    .acts = acts,
    .tables = {},
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
