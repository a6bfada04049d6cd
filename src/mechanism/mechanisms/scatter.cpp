// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "mechanism/policy.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array acts{action_kind::place_new};

constexpr std::array parameters{acts_on_threads_parameter};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  const bool acting = acts_on_named(read.word("act-on", acts_on_threads_words)).threads;
  if (read.problem()) return tl::unexpected(*read.problem());
  start_policy::choice chosen;
  if (acting) chosen.threads = thread_placing::scatter;
  return std::make_unique<start_policy>(chosen);
}

}  // namespace

extern const mechanism_entry scatter_entry{
    .name = "scatter",
    .summary = "threads are spread over the nodes",
    .source = "OpenMP's proc_bind(spread)",
    .matrix_unit = "",
    .needs = {},
    .acts = acts,
    .tables = {},
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
