// SPDX-License-Identifier: Apache-2.0
#include "mapping/comparison.hpp"

namespace numatch {

std::vector<compared_algorithm> compare_algorithms(
    std::span<const mapping_algorithm* const> algorithms, const mapping_request& request) {
  std::vector<compared_algorithm> compared;
  for (const mapping_algorithm* algorithm : algorithms) {
    compared_algorithm row;
    row.algorithm = algorithm->name;
    result<mapping_answer> answer = map_threads(*algorithm, request);
    if (answer) {
      row.share_in_node = share_in_node(request.sharing, answer->mapping, request.machine);
      row.answer = std::move(*answer);
    } else {
      row.problem = answer.error().message();
    }
    compared.push_back(std::move(row));
  }
  return compared;
}

}  // namespace numatch
