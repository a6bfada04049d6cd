// SPDX-License-Identifier: Apache-2.0
#include "mapping/mapper.hpp"

#include "base/suggest.hpp"

namespace numatch {

result<const mapping_algorithm*> find_algorithm(std::string_view name) {
  std::vector<std::string_view> known;
  for (const mapping_algorithm* algorithm : all_algorithms()) {
    if (algorithm->name == name) return algorithm;
    known.push_back(algorithm->name);
  }
  return fail("", fmt::format("unknown mapping algorithm '{}'", name), suggest(name, known));
}

}  // namespace numatch
