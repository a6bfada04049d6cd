// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "pattern/profile.hpp"
#include "report/machine.hpp"
#include "report/page_sharing.hpp"
#include "report/placement.hpp"
#include "report/shape.hpp"
#include "report/worth.hpp"

namespace numatch::report {

/// Start here. A report is made in two steps: summarise() computes every number, then text.hpp,
/// json.hpp or html.hpp shows them. docs/report.md defines each number.

struct partner {
  thread_id thread;
  double amount = 0;  ///< sharing_matrix::between(), in the profile's matrix unit
  double share = 0;   ///< of all that the thread shares, 0..1
};

struct thread_summary {
  thread_id id;
  std::uint64_t accesses = 0;
  double share_of_accesses = 0;       ///< of all threads' accesses, 0..1
  std::uint64_t shared_accesses = 0;  ///< to pages that at least two threads used
  double shared_share = 0;            ///< of its accesses in the page usage, 0..1
  double foreign_share = 0;           ///< of them to pages whose main thread is another one, 0..1
  double sharing = 0;                 ///< Σ of its pairs, in the profile's matrix unit
  std::vector<partner> partners;      ///< most sharing first; at most three, of 0.5 % and more
};

/// A piece of data with what threads share of it; the object stays in the profile.
struct object_summary {
  std::size_t index = 0;  ///< in profile::objects
  std::uint64_t shared_accesses = 0;
  double share = 0;                ///< of the shared accesses of all objects, 0..1
  std::vector<thread_id> threads;  ///< that access its shared pages
};

struct summary {
  machine_choice machine;
  std::vector<thread_summary> threads;
  std::vector<page_run> runs;
  exclusivity pages;
  bool pages_known = false;
  double volume = 0;  ///< sharing_volume()
  sharing_shape shape;
  placement mappings;
  worth verdict;
  std::vector<object_summary> objects;     ///< shared ones, most shared accesses first
  std::vector<std::size_t> false_sharing;  ///< in profile::false_shares, most accesses first
};

/// exclusivity::volume(); from the sharing matrix (total ÷ accesses, at most 1) where there is no
/// page usage.
double sharing_volume(const profile& learned, const std::vector<page_run>& runs);

/// Refuses a profile without threads. Takes about O(pages + threads² log threads) and the time of
/// the mapping algorithms.
result<summary> summarise(const profile& learned, machine_choice machine,
                          algorithm_list algorithms = algorithms_to_report());

}  // namespace numatch::report
