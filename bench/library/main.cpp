// SPDX-License-Identifier: Apache-2.0
// library [one-node|dispatch|indexes]...: what numatch::numa costs, as ratios within one run.
#include <cstdio>
#include <string>
#include <vector>

#include "rows.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) wanted = {"one-node", "dispatch", "indexes"};
  for (const std::string& row : wanted) {
    if (row == "one-node") {
      bench::one_node();
    } else if (row == "dispatch") {
      bench::dispatch();
    } else if (row == "indexes") {
      bench::indexes();
    } else {
      std::fprintf(stderr, "usage: library [one-node|dispatch|indexes]...\n");
      return 2;
    }
    std::fflush(stdout);
  }
}
