// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/placement.hpp"
#include "report/shape.hpp"

namespace numatch::report {

enum class worth_kind { nothing, threads, pages, both };
std::string_view to_string(worth_kind kind);

/// Whether mapping this program can pay on this machine, with the numbers that say so. A bound on
/// what can be kept near, not a promise of time.
struct worth {
  worth_kind kind = worth_kind::nothing;
  std::string headline;              ///< one sentence
  std::string threads;               ///< why threads, or why not
  std::string pages;                 ///< why pages, or why not
  std::vector<std::string> remarks;  ///< what would already do, what limits it
  double volume = 0;                 ///< exclusivity::volume()
  double thread_gain = 0;            ///< (cost of random − cost of best) ÷ cost of random
  double page_gain = 0;              ///< local accesses with the best pages − with interleaved ones
  static constexpr double least_volume = 0.01;
  static constexpr double least_thread_gain = 0.10;
  static constexpr double least_page_gain = 0.10;
};

struct worth_input {
  const placement& mappings;
  const sharing_shape& shape;
  double volume = 0;
  std::size_t threads = 0;
  std::size_t nodes = 0;
  bool pages_known = false;
  /// Share of the accesses that go to shared pages with at most one write in a hundred accesses.
  double hardly_written = 0;
};
worth judge_worth(const worth_input& input);

}  // namespace numatch::report
