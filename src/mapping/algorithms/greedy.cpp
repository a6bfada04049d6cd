// SPDX-License-Identifier: Apache-2.0
#include "mapping/pair_rule.hpp"

namespace numatch {

namespace {

result<thread_mapping> map_greedily(const mapping_request& request) {
  return map_by_pair_rule(request, {.alpha = request.alpha});
}

}  // namespace

extern const mapping_algorithm greedy_algorithm{
    "greedy",
    "MVAS: the pairs that share most go to the nodes in turn",
    map_greedily,
    {.alpha = true}};

}  // namespace numatch
