// SPDX-License-Identifier: Apache-2.0
#include "ring_places/report_file.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ring_places {

namespace {

/// False when the line has not the words that its first one promises.
bool read_line(std::istream& words, report& into) {
  std::string kind;
  words >> kind;
  if (kind == "process") {
    words >> into.process;
  } else if (kind == "thread") {
    unsigned thread = 0;
    words >> thread >> into.task_of_thread[thread];
  } else if (kind == "region") {
    region next;
    std::string of;
    words >> next.number >> of >> std::hex >> next.address >> std::dec >> next.pages;
    next.is_private = of == "private";
    into.regions.push_back(next);
  } else if (kind == "used") {
    std::uintptr_t page = 0;
    unsigned thread = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    words >> std::hex >> page >> std::dec >> thread >> reads >> writes;
    into.uses[page][thread] += reads + writes;
  }
  return !words.fail();
}

}  // namespace

report read_report(std::istream& in) {
  report found;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    if (!read_line(words, found)) throw std::runtime_error("cannot read the line: " + line);
  }
  if (found.process <= 0 || found.regions.empty()) {
    throw std::runtime_error("this is no report of ring_program");
  }
  return found;
}

unsigned main_user(const std::map<unsigned, std::uint64_t>& uses) {
  return std::max_element(
             uses.begin(), uses.end(),
             [](const auto& one, const auto& other) { return one.second < other.second; })
      ->first;
}

}  // namespace ring_places
