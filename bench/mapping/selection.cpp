// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/selection.hpp"

#include <algorithm>

namespace numatch::bench {

result<std::vector<instance>> chosen_instances(const options& given) {
  if (given.has("--captures")) return captured_instances();
  result<std::vector<std::size_t>> sizes = given.numbers("--sizes", "32,64");
  result<std::uint64_t> seed = given.number("--seed", 1);
  if (!sizes) return tl::unexpected(sizes.error());
  if (!seed) return tl::unexpected(seed.error());
  std::vector<const family*> families;
  for (const std::string& name : given.list("--families")) {
    result<const family*> one = find_family(name);
    if (!one) return tl::unexpected(one.error());
    families.push_back(*one);
  }
  if (families.empty()) {
    for (const family& one : all_families()) families.push_back(&one);
  }
  std::vector<const bench_machine*> machines;
  for (const std::string& name : given.list("--machines")) {
    result<const bench_machine*> one = find_machine(name);
    if (!one) return tl::unexpected(one.error());
    machines.push_back(*one);
  }
  std::vector<instance> chosen;
  for (const std::size_t size : *sizes) {
    if (size < 1 || size > 16384) return fail("--sizes", "choose 1 to 16384 threads");
    std::vector<instance> table = table_of(size, *seed);
    if (!machines.empty()) {
      table.clear();
      for (const bench_machine* machine : machines) {
        for (const family& one : all_families()) {
          table.push_back({&one, machine, size, *seed});
        }
      }
    }
    if (table.empty()) {
      return fail("--sizes", fmt::format("no machine of the table has {} threads", size),
                  "name one with --machines");
    }
    for (const instance& one : table) {
      if (std::find(families.begin(), families.end(), one.pattern) != families.end()) {
        chosen.push_back(one);
      }
    }
  }
  return chosen;
}

}  // namespace numatch::bench
