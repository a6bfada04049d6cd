// SPDX-License-Identifier: Apache-2.0
// What must not compile: each case is built alone with -DCASE=n, and the compiler has to refuse it
// with the words behind "expect". CASE 0 is the same code used rightly, and has to compile.
#include <functional>
#include <memory_resource>
#include <numatch/numa.hpp>
#include <string>
#include <vector>

using numbers = std::pmr::vector<int>;

inline numbers make(std::size_t, std::pmr::memory_resource* memory) {
  return numbers(memory);
}

void use(numatch::runtime& nodes) {
#if CASE == 0
  numatch::partitioned<numbers> data(nodes, make);
  (void)data.map_reduce([](const numbers& part) { return part.size(); }, std::plus<>());
  data.for_each_part([](numbers& part) { part.clear(); });
#elif CASE == 1  // expect: no matching
  // The maker takes no resource, so the part would not be on its node.
  numatch::partitioned<numbers> data(nodes, 2, [] { return numbers(); });
#elif CASE == 2  // expect: no matching
  // The maker makes something else.
  numatch::partitioned<numbers> data(
      nodes, 2, [](std::size_t, std::pmr::memory_resource*) { return std::string(); });
#elif CASE == 3  // expect: no matching
  // map_reduce() is for asking; what changes parts is for_each_part().
  numatch::partitioned<numbers> data(nodes, make);
  (void)data.map_reduce(
      [](numbers& part) {
        part.clear();
        return 0;
      },
      std::plus<>());
#elif CASE == 4  // expect: no matching
  // A query of another type than the map takes.
  const numatch::partitioned<numbers> data(nodes, make);
  (void)data.map_reduce_batch(
      std::vector<std::string>{}, [](const numbers&, const int& query) { return query; },
      std::plus<>());
#elif CASE == 5  // expect: discards qualifiers|read-only|not marked const
  // A snapshot is for reading.
  numatch::replicated<numbers> table(nodes, numbers());
  table.snapshot()->push_back(1);
#elif CASE == 6  // expect: use of deleted function|call to deleted|call to implicitly-deleted
  // A runtime is one thing; parts refer to it.
  numatch::runtime second(nodes);
#endif
}
