// SPDX-License-Identifier: Apache-2.0
#include "mapping/mapper.hpp"

#include <chrono>

#include "base/suggest.hpp"
#include "mapping/capacity.hpp"
#include "mapping/request_check.hpp"

namespace numatch {

namespace {

/// A broken promise of an algorithm is our bug, but a wrong mapping must not leave the room.
result<void> check_answer(const mapping_algorithm& algorithm, const thread_mapping& mapping,
                          const mapping_request& request) {
  const std::size_t pus = request.machine.pu_count();
  if (mapping.pu_of.size() != request.sharing.size()) {
    return fail(std::string(algorithm.name), "left threads without a place");
  }
  std::vector<std::size_t> load(pus);
  for (const pu_id pu : mapping.pu_of) {
    if (pu.index() >= pus) return fail(std::string(algorithm.name), "chose a PU that is not there");
    if (++load[pu.index()] > capacity_of_pu(mapping.pu_of.size(), pus)) {
      return fail(std::string(algorithm.name), "put too many threads on one PU");
    }
  }
  return {};
}

}  // namespace

result<const mapping_algorithm*> find_algorithm(std::string_view name) {
  std::vector<std::string_view> known;
  for (const mapping_algorithm* algorithm : all_algorithms()) {
    if (algorithm->name == name) return algorithm;
    known.push_back(algorithm->name);
  }
  return fail("", fmt::format("unknown mapping algorithm '{}'", name), suggest(name, known));
}

result<mapping_answer> map_threads(const mapping_algorithm& algorithm,
                                   const mapping_request& request) {
  if (result<void> r = check_request(request); !r) return tl::unexpected(r.error());
  const auto start = std::chrono::steady_clock::now();
  result<thread_mapping> mapping = algorithm.map(request);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!mapping) return tl::unexpected(mapping.error());
  if (result<void> r = check_answer(algorithm, *mapping, request); !r) {
    return tl::unexpected(r.error());
  }
  mapping_answer answer{std::string(algorithm.name), std::move(*mapping), 0, taken.count()};
  answer.cost = mapping_cost(request.sharing, answer.mapping, request.distances);
  return answer;
}

}  // namespace numatch
