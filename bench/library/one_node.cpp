// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <numatch/numa.hpp>
#include <vector>

#include "exact_index.hpp"
#include "measure.hpp"
#include "rows.hpp"
#include "vector_source.hpp"

namespace bench {

namespace {

constexpr std::size_t k = 10;
constexpr std::size_t turns = 101;
constexpr double most = 1.02;

}  // namespace

void one_node() {
  const vsearch::made_data data = vsearch::generate(4000, 200, 64, 1);
  const vsearch::memory_source base(data.base);
  vsearch::memory* const ordinary = std::pmr::get_default_resource();
  const vsearch::exact_index plain({}, base.slice(0, 1, ordinary), ordinary);
  numatch::runtime nodes(numatch::topology::parse("node:1 core:1 pu:1"));
  const numatch::partitioned<vsearch::exact_index> parted(
      nodes, [&](std::size_t part, vsearch::memory* from) {
        return vsearch::exact_index({}, base.slice(part, 1, from), from);
      });
  std::vector<std::span<const float>> queries;
  for (std::size_t q = 0; q < data.queries.size(); ++q) queries.push_back(data.queries[q]);

  std::vector<double> of_plain;
  std::vector<double> of_parted;
  bool same = true;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::vector<std::vector<vsearch::neighbour>> expected;
    std::vector<std::vector<vsearch::neighbour>> found;
    of_plain.push_back(taken(cpu_seconds, [&] {
      expected.reserve(queries.size());
      for (const std::span<const float> query : queries) {
        expected.push_back(plain.search({}, query, k));
      }
    }));
    of_parted.push_back(taken(cpu_seconds, [&] {
      found = parted.map_reduce_batch(
          queries,
          [](const vsearch::exact_index& part, std::span<const float> query) {
            return part.search({}, query, k);
          },
          [](const auto& a, const auto& b) { return vsearch::merge_nearest(a, b, k); });
    }));
    same = same && expected == found;
  }
  const double ratio = least(of_parted) / least(of_plain);
  std::printf("one node, partitioned over plain, CPU time: %.3f, target %.2f: %s%s (measured)\n",
              ratio, most, judge(ratio <= most), same ? "" : ", ANSWERS DIFFER");
}

}  // namespace bench
