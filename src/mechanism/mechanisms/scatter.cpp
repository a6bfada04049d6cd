// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array acts{action_kind::place_new};

result<std::unique_ptr<mechanism>> make(const parameter_set&) {
  return std::make_unique<start_policy>(start_policy::choice{.threads = thread_placing::scatter});
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
    .parameters = {},
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
