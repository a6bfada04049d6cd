// SPDX-License-Identifier: Apache-2.0
#include "reproduce/results.hpp"

#include <algorithm>

namespace numatch::reproduce {

std::string wanted_run::name() const {
  if (mechanism.empty()) return "baseline";
  return half.empty() ? mechanism : mechanism + " (" + half + ")";
}

std::vector<wanted_run> runs_of(const suite_paper& paper) {
  std::vector<wanted_run> runs{{}};
  for (const std::string& mechanism : paper.mechanisms) {
    runs.push_back({mechanism, ""});
    if (std::ranges::find(paper.halves, mechanism) == paper.halves.end()) continue;
    runs.push_back({mechanism, "threads"});
    runs.push_back({mechanism, "pages"});
  }
  return runs;
}

}  // namespace numatch::reproduce
