// SPDX-License-Identifier: Apache-2.0
#include "mapping/exact_search.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch {

namespace {

/// A second or so.
constexpr std::uint64_t most_operations = 500'000'000;

result<thread_mapping> map_by_search(const mapping_request& request) {
  std::optional<thread_mapping> best = map_exactly(request, most_operations);
  if (best) return std::move(*best);
  return fail(
      "exact",
      fmt::format("{} threads on {} PUs take more than {} operations", request.sharing.size(),
                  pu_tree(request.machine, request.allowed).size(), most_operations),
      "choose another algorithm");
}

}  // namespace

extern const mapping_algorithm exact_algorithm{
    "exact", "branch and bound: the least cost there is, for a dozen threads", map_by_search};

}  // namespace numatch
