// SPDX-License-Identifier: Apache-2.0
#include "mapping/mapper.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>

#include "base/suggest.hpp"
#include "mapping/alignment.hpp"
#include "mapping/leaf_mapping.hpp"
#include "mapping/level_costs.hpp"
#include "mapping/limits.hpp"
#include "mapping/request_check.hpp"

namespace numatch {

namespace {

/// A broken promise of an algorithm is our bug, but a wrong mapping must not leave the room.
result<void> check_answer(const mapping_algorithm& algorithm, const thread_mapping& mapping,
                          const mapping_request& request, const pu_tree& tree,
                          const load_limits& limits) {
  if (mapping.pu_of.size() != request.sharing.size()) {
    return fail(std::string(algorithm.name), "left threads without a place");
  }
  for (const pu_id pu : mapping.pu_of) {
    if (pu.index() < request.machine.pu_count() && tree.leaf_of(pu) != pu_tree::no_leaf) continue;
    return fail(std::string(algorithm.name), "chose a PU that is not there or not allowed");
  }
  if (!keeps_limits(leaves_of(mapping, tree), request, tree, limits)) {
    return fail(std::string(algorithm.name),
                "put too much on a part of the machine or moved a pinned thread");
  }
  return {};
}

std::size_t moves(const thread_mapping& from, const thread_mapping& to) {
  std::size_t moved = 0;
  for (std::size_t t = 0; t < to.pu_of.size(); ++t) moved += from.pu_of[t] != to.pu_of[t] ? 1U : 0U;
  return moved;
}

/// Fewer moves at the same cost, or none where they do not pay.
void make_stable(thread_mapping& mapping, const mapping_request& request, const pu_tree& tree,
                 const load_limits& limits) {
  const std::vector<std::uint32_t> current = leaves_of(*request.current, tree);
  if (costs_by_level(request.machine, request.distances).exact) {
    std::vector<std::uint32_t> leaf_of = leaves_of(mapping, tree);
    align_to(leaf_of, current, tree, request.pinned);
    mapping = pus_of(leaf_of, tree);
  }
  if (!keeps_limits(current, request, tree, limits)) return;
  const double gain = mapping_cost(request.sharing, *request.current, request.distances) -
                      mapping_cost(request.sharing, mapping, request.distances);
  const double price = request.move_cost * static_cast<double>(moves(*request.current, mapping));
  if (gain <= price) mapping = *request.current;
}

/// Wall time and this thread's processor time since it was made, in seconds.
class stopwatch {
 public:
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
  }
  double cpu() const { return cpu_now() - cpu_; }

 private:
  static double cpu_now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  double cpu_ = cpu_now();
};

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
                                   const mapping_request& asked) {
  if (result<void> r = check_request(asked); !r) return tl::unexpected(r.error());
  mapping_request request = asked;
  // Equal weights say nothing, and algorithms know a quicker way without any.
  if (std::adjacent_find(request.weights.begin(), request.weights.end(), std::not_equal_to<>()) ==
      request.weights.end()) {
    request.weights = {};
  }
  const pu_tree tree(request.machine, request.allowed);
  const load_limits limits = limits_of(request, tree);
  const stopwatch watch;
  result<thread_mapping> mapping = algorithm.map(request);
  if (!mapping) return tl::unexpected(mapping.error());
  if (result<void> r = check_answer(algorithm, *mapping, request, tree, limits); !r) {
    return tl::unexpected(r.error());
  }
  if (request.current != nullptr) make_stable(*mapping, request, tree, limits);
  mapping_answer answer;
  answer.seconds = watch.wall();
  answer.cpu_seconds = watch.cpu();
  answer.algorithm = algorithm.name;
  answer.mapping = std::move(*mapping);
  answer.cost = mapping_cost(request.sharing, answer.mapping, request.distances);
  if (request.current != nullptr) {
    answer.gain = mapping_cost(request.sharing, *request.current, request.distances) - answer.cost;
    answer.moved = moves(*request.current, answer.mapping);
  }
  return answer;
}

}  // namespace numatch
