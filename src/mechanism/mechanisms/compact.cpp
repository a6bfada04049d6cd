// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array acts{action_kind::place_new};

result<std::unique_ptr<mechanism>> make(const parameter_set&) {
  return std::make_unique<start_policy>(start_policy::choice{.threads = thread_placing::compact});
}

}  // namespace

extern const mechanism_entry compact_entry{
    .name = "compact",
    .summary = "threads fill the PUs in order, node after node",
    .source = "OpenMP's proc_bind(close)",
    .matrix_unit = "",
    .needs = {},
    .acts = acts,
    .tables = {},
    .parameters = {},
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
