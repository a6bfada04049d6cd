// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pattern/profile.hpp"
#include "report/page_sharing.hpp"
#include "report/shape.hpp"

namespace numatch::report {

/// One of two compared profiles in a few numbers.
struct diff_side {
  std::string name;  ///< as the user called it
  std::string command;
  std::string mechanism;
  std::string frontend;
  std::string how;
  std::size_t threads = 0;
  std::uint64_t accesses = 0;
  bool pages_known = false;
  double volume = 0;
  double exclusivity_level = 0;
  sharing_shape shape;
};

/// A share (0..1) of both profiles, of something that both or one of them know by name.
struct diff_row {
  std::string name;
  double a = 0;
  double b = 0;
};

struct profile_diff {
  diff_side a, b;
  double limit = 0.95;
  /// correlation() of the sharing matrices; 1 where neither varies from pair to pair and both share
  /// or both do not. Only with equally many threads.
  double correlation = 0;
  /// Equally many threads, and correlation ≥ limit. Where both patterns are all-to-all or both are
  /// none, the pairs differ by noise only: then the equal shape decides.
  bool alike = false;
  std::string reason;  ///< why alike or not, one sentence

  std::vector<diff_row> thread_accesses;  ///< share of all accesses, per thread of either profile
  std::vector<diff_row> thread_sharing;   ///< share of all sharing (each pair counts for both)
  std::vector<diff_row> objects;          ///< share of the shared accesses of all objects

  bool pages_comparable = false;  ///< equal page size, and both have page usage
  std::uint64_t pages_both = 0;   ///< pages, by address
  std::uint64_t pages_only_a = 0;
  std::uint64_t pages_only_b = 0;
  std::uint64_t pages_moved = 0;  ///< of pages_both, those with another main thread
  double moved_accesses = 0;      ///< share of a's accesses to pages_both that go to them
};

/// `names` are what the two profiles are called in the answer.
profile_diff compare_profiles(const profile& a, const profile& b, const std::string& name_a,
                              const std::string& name_b, double limit);

std::string text_diff(const profile_diff& d);
/// Keys and units are in docs/report.md.
std::string json_diff(const profile_diff& d);

}  // namespace numatch::report
