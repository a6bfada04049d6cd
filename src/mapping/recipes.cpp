// SPDX-License-Identifier: Apache-2.0
#include "mapping/recipes.hpp"

#include <algorithm>

namespace numatch {

namespace {

/// Calls say(first, count) for every piece of consecutive numbers, in order.
template <class Say>
void for_each_run(const std::vector<unsigned>& numbers, Say say) {
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t end = at + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    say(numbers[at], end - at);
    at = end;
  }
}

std::string range_list(const std::vector<unsigned>& numbers, char separator) {
  std::string text;
  for_each_run(numbers, [&](unsigned first, std::size_t count) {
    if (!text.empty()) text += separator;
    text += count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
  });
  return text;
}

std::string omp_places(const std::vector<unsigned>& numbers) {
  std::string text;
  for_each_run(numbers, [&](unsigned first, std::size_t count) {
    if (!text.empty()) text += ',';
    text += count == 1 ? fmt::format("{{{}}}", first) : fmt::format("{{{}}}:{}", first, count);
  });
  return text;
}

std::string taskset_loop(const std::vector<unsigned>& cpus) {
  std::string words;
  for (const unsigned cpu : cpus) words += fmt::format(" {}", cpu);
  return fmt::format(
      "set --{}; for t in $(ls /proc/PID/task | sort -n); do taskset -pc $1 $t; shift; [ $# -gt 0 "
      "] "
      "|| break; done",
      words);
}

}  // namespace

std::string cpu_list(std::vector<unsigned> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return range_list(numbers, ',');
}

std::vector<recipe> recipes_for(const thread_mapping& mapping, const topology& machine,
                                page_policy policy) {
  std::vector<unsigned> cpus;
  std::vector<unsigned> nodes;
  for (const pu_id pu : mapping.pu_of) {
    cpus.push_back(machine.os_index(pu));
    nodes.push_back(machine.os_index(machine.node_of(pu)));
  }
  const std::string used = cpu_list(nodes);
  std::vector<recipe> recipes;
  recipes.push_back({fmt::format("OMP_NUM_THREADS={} OMP_PROC_BIND=close OMP_PLACES='{}' CMD",
                                 cpus.size(), omp_places(cpus)),
                     "any OpenMP program: thread i on place i"});
  recipes.push_back({fmt::format("OMP_NUM_THREADS={} GOMP_CPU_AFFINITY='{}' CMD", cpus.size(),
                                 range_list(cpus, ' ')),
                     "the same for gcc's OpenMP only"});
  recipes.push_back({fmt::format("taskset -c {} CMD", cpu_list(cpus)),
                     "the processors only: the system chooses which thread runs on which"});
  recipes.push_back(
      {taskset_loop(cpus), "a program that runs already, its threads in the order of creation"});
  recipes.push_back({policy == page_policy::interleave
                         ? fmt::format("numactl --cpunodebind={0} --interleave={0} CMD", used)
                         : fmt::format("numactl --cpunodebind={} --localalloc CMD", used),
                     policy == page_policy::interleave
                         ? "the nodes only, pages in turn on them"
                         : "the nodes only, pages where they are touched first"});
  return recipes;
}

}  // namespace numatch
