// SPDX-License-Identifier: Apache-2.0
#include "ring_places/machine.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace ring_places {

namespace {

/// `nodes` is null to ask where the pages are. `status` gets the node or an error of each.
void move(pid_t process, const std::vector<std::uintptr_t>& pages, const int* nodes,
          std::vector<int>& status) {
  status.assign(pages.size(), 0);
  if (syscall(SYS_move_pages, process, pages.size(), pages.data(), nodes, status.data(),
              MPOL_MF_MOVE) < 0) {
    throw std::system_error(errno, std::generic_category(), "move_pages");
  }
}

int number(const std::string& text, const std::string& list) {
  int value = -1;
  const char* const end = text.data() + text.size();
  const auto [stopped, bad] = std::from_chars(text.data(), end, value);
  if (bad != std::errc{} || stopped != end || value < 0) {
    throw std::runtime_error("'" + list + "' is no list of CPUs");
  }
  return value;
}

}  // namespace

std::vector<int> cpus_of_list(const std::string& list) {
  std::vector<int> cpus;
  std::istringstream parts(list);
  std::string part;
  while (std::getline(parts, part, ',')) {
    const std::size_t dash = part.find('-');
    const int first = number(part.substr(0, dash), list);
    const int last = dash == std::string::npos ? first : number(part.substr(dash + 1), list);
    if (last < first) throw std::runtime_error("'" + list + "' is no list of CPUs");
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::map<int, int> node_of_cpu() {
  std::map<int, int> nodes;
  for (int node = 0;; ++node) {
    std::ifstream in("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist");
    if (!in) return nodes;
    std::string list;
    std::getline(in, list);
    for (const int cpu : cpus_of_list(list)) nodes[cpu] = node;
  }
}

thread_place place_of(pid_t process, pid_t task) {
  const std::string folder =
      "/proc/" + std::to_string(process) + "/task/" + std::to_string(task) + "/";
  thread_place found;
  std::ifstream status(folder + "status");
  for (std::string line; std::getline(status, line);) {
    const std::string word = "Cpus_allowed_list:\t";
    if (line.starts_with(word)) found.allowed = line.substr(word.size());
  }
  std::ifstream stat(folder + "stat");
  std::string line;
  std::getline(stat, line);
  // The name, in brackets, may have blanks; the CPU is the 37th word after it (proc(5)).
  std::istringstream words(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::string word;
  for (int skipped = 0; skipped < 36; ++skipped) words >> word;
  if (!(words >> found.cpu) || found.allowed.empty()) {
    throw std::runtime_error("thread " + std::to_string(task) + " is gone");
  }
  return found;
}

std::vector<int> nodes_of_pages(pid_t process, const std::vector<std::uintptr_t>& pages) {
  std::vector<int> nodes;
  move(process, pages, nullptr, nodes);
  return nodes;
}

std::size_t move_pages_to(pid_t process, const std::vector<std::uintptr_t>& pages, int node) {
  // In small groups: before 6.3, the kernel tells all processors of each page by itself, and goes
  // on trying those that are in use.
  constexpr std::size_t group = 16;
  std::ptrdiff_t there = 0;
  for (std::size_t at = 0; at < pages.size(); at += group) {
    const auto first = pages.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(group, pages.size() - at));
    const std::vector<std::uintptr_t> next(first, first + count);
    const std::vector<int> wanted(next.size(), node);
    std::vector<int> status;
    move(process, next, wanted.data(), status);
    there += std::count(status.begin(), status.end(), node);
  }
  return static_cast<std::size_t>(there);
}

}  // namespace ring_places
