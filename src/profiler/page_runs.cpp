// SPDX-License-Identifier: Apache-2.0
#include "profiler/page_runs.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace numatch {

namespace {

bool alike(std::span<const page_use> a, std::span<const page_use> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const page_use& x, const page_use& y) {
                      return x.window == y.window && x.thread == y.thread && x.reads == y.reads &&
                             x.writes == y.writes;
                    });
}

}  // namespace

void merge_alike_pages(std::vector<page_use>& uses) {
  std::sort(uses.begin(), uses.end(), [](const page_use& a, const page_use& b) {
    return std::tie(a.first_page, a.window, a.thread) < std::tie(b.first_page, b.window, b.thread);
  });
  std::size_t kept = 0;       // uses[0, kept) are final
  std::size_t run_begin = 0;  // the last run is uses[run_begin, kept)
  for (std::size_t begin = 0; begin < uses.size();) {
    std::size_t end = begin + 1;
    while (end < uses.size() && uses[end].first_page == uses[begin].first_page) ++end;
    const std::span<page_use> run(uses.data() + run_begin, kept - run_begin);
    const std::span<const page_use> page(uses.data() + begin, end - begin);
    const bool follows = !run.empty() && run.front().first_page.value + run.front().pages ==
                                             page.front().first_page.value;
    if (follows && alike(run, page)) {
      for (page_use& use : run) ++use.pages;
    } else {
      run_begin = kept;
      kept = static_cast<std::size_t>(
          std::copy(page.begin(), page.end(), uses.begin() + static_cast<std::ptrdiff_t>(kept)) -
          uses.begin());
    }
    begin = end;
  }
  uses.resize(kept);
}

}  // namespace numatch
