// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <random>
#include <utility>

#include "mapping/placing.hpp"

namespace numatch {

namespace {

/// Fisher and Yates with a fixed generator: std::shuffle differs between C++ libraries. The bias
/// of the remainder is below 2^-32 for any machine.
std::vector<std::uint32_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

result<thread_mapping> map_at_random(const mapping_request& request) {
  const pu_tree tree(request.machine, request.allowed);
  std::mt19937_64 random(request.seed);
  const std::vector<std::uint32_t> leaves = shuffled(tree.size(), random);
  const std::vector<std::uint32_t> threads = shuffled(request.sharing.size(), random);
  std::vector<placing_wish> wishes;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    wishes.push_back({threads[i], i % leaves.size()});
  }
  return place_in_turn(request, tree, limits_of(request, tree), leaves, wishes);
}

}  // namespace

extern const mapping_algorithm random_algorithm{
    "random",
    "a random place for every thread, the same for the same seed",
    map_at_random,
    {.seed = true}};

}  // namespace numatch
