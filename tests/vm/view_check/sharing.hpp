// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ring_places/report_file.hpp"
#include "uapi/numatch.h"

/// What SPCD makes of uses in order: a thread that uses a page that others have used before
/// communicates with each of them once more.
class sharing_matrix {
 public:
  explicit sharing_matrix(const ring_places::report& threads);

  void add(const std::vector<numatch_use>& uses);
  struct verdict {
    std::uint64_t increments = 0;
    std::uint64_t wrong =
        0;  ///< between threads of which one has never used the page, as it says itself
  };
  verdict judge(const ring_places::report& truth) const;
  /// A line for each thread; one cell each, with how often it used what that thread had used
  /// before.
  std::string text() const;

 private:
  std::map<pid_t, unsigned> thread_of_task_;
  std::set<std::uint64_t> pages_;
  std::map<std::uint64_t, std::set<unsigned>> users_;
  /// Page, thread, an earlier user.
  std::map<std::uint64_t, std::map<std::pair<unsigned, unsigned>, std::uint64_t>> increments_;
};
