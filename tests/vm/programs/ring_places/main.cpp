// SPDX-License-Identifier: Apache-2.0
// ring_places: where the threads and pages of a running ring_program are, and where its report says
// they belong.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>

#include "ring_places/machine.hpp"
#include "ring_places/places.hpp"

namespace ring_places {

namespace {

constexpr const char* usage = R"(usage: ring_places REPORT
       ring_places --move-to NODE REPORT
Prints the node of each thread and each region of a running ring_program, from its report (SIGUSR1):

  thread T CPU NODE ALLOWED   the CPU it ran on last, its node, the CPUs it may use
  region R NODE=PAGES...      as move_pages(2) says; absent pages as "none"
  private_local A of B        pages on the node of the thread that uses them most
  accessed_local A of B       the same, shared pages, too
  together A of B             pairs of threads that share pages and are on one node

or moves all its pages to a node first and prints `moved A of B`.
)";

int percent(const local_share& share) {
  return share.pages == 0 ? 0 : static_cast<int>(100 * share.local / share.pages);
}

std::map<unsigned, int> show_threads(const report& of) {
  const std::map<int, int> nodes = node_of_cpu();
  std::map<unsigned, int> node_of_thread;
  for (const auto& [thread, task] : of.task_of_thread) {
    const thread_place place = place_of(of.process, task);
    node_of_thread[thread] = nodes.at(place.cpu);
    std::cout << "thread " << thread << ' ' << place.cpu << ' ' << nodes.at(place.cpu) << ' '
              << place.allowed << '\n';
  }
  return node_of_thread;
}

void show(const report& of) {
  const std::vector<std::uintptr_t> pages = pages_of(of);
  const std::vector<int> nodes = nodes_of_pages(of.process, pages);
  std::map<std::uintptr_t, int> node_of_page;
  for (std::size_t at = 0; at < pages.size(); ++at) node_of_page[pages[at]] = nodes[at];
  const summary found = summarise(of, node_of_page, show_threads(of));
  for (const auto& [number, counts] : found.pages_of_node) {
    std::cout << "region " << number;
    for (const auto& [node, count] : counts) {
      std::cout << ' ' << (node < 0 ? "none" : std::to_string(node)) << '=' << count;
    }
    std::cout << '\n';
  }
  std::cout << "private_local " << found.private_pages.local << " of " << found.private_pages.pages
            << " = " << percent(found.private_pages) << " percent\n"
            << "accessed_local " << found.accessed_pages.local << " of "
            << found.accessed_pages.pages << " = " << percent(found.accessed_pages) << " percent\n"
            << "together " << found.together << " of " << found.partners << '\n';
}

int run(const std::vector<std::string>& words) {
  const bool moves = words.size() == 3 && words[0] == "--move-to";
  if (!moves && words.size() != 1) {
    std::cerr << usage;
    return 2;
  }
  std::ifstream in(words.back());
  const report of = read_report(in);
  if (moves) {
    const std::vector<std::uintptr_t> pages = pages_of(of);
    std::cout << "moved " << move_pages_to(of.process, pages, std::stoi(words[1])) << " of "
              << pages.size() << '\n';
  } else {
    show(of);
  }
  return 0;
}

}  // namespace

}  // namespace ring_places

int main(int count, char** words) {
  try {
    return ring_places::run({words + 1, words + count});
  } catch (const std::exception& wrong) {
    std::cerr << "ring_places: " << wrong.what() << '\n';
    return 2;
  }
}
