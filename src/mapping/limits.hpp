// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch {

/// How much load every part of the machine may hold, and a mapping that keeps to it.
///
/// The limits come from a witness: threads in falling order of weight (pinned ones first, on their
/// PUs), each sent down the tree to the child with the least load per PU (the lower child on a
/// tie). The limit of a group is the greatest witness load among the groups of its level with as
/// many leaves that free threads were sent to, and at least the heaviest free thread; a group that
/// pinned threads fill beyond that may hold just them.
///
/// With equal threads, none pinned, it is ceil(threads x leaves of the group / leaves): one thread
/// per PU while there are no more threads than PUs. (Where the parts of a level differ in size, it
/// can be one more for a part inside one that rounded up already; never for a PU.) Their witness
/// takes the leaves in order.
///
/// Which levels are limited is the policy's matter. PUs always are. `spread` limits every level.
/// `automatic` limits the cores too, so that hardware threads of one core are shared only when
/// every core is busy, and every level when there are more threads than PUs or nothing is shared.
struct load_limits {
  /// limit[level][group] for the groups of the pu_tree; infinity where the level is not limited.
  std::vector<std::vector<double>> limit;
  /// Leaf of each thread in the witness: always a feasible mapping.
  std::vector<std::uint32_t> witness;
  /// All threads weigh the same, none is pinned, and every leaf holds exactly as many threads: any
  /// two threads may change places and nothing else is ever allowed.
  bool uniform = false;
};

/// The request must have passed check_request(), and `tree` be over the PUs that it allows.
/// O(threads x children on the way down); O(threads + groups) for equal threads.
load_limits limits_of(const mapping_request& request, const pu_tree& tree);

/// A load may be this share of a limit above it: the order of a sum of weights decides nothing.
inline constexpr double limit_tolerance = 1e-9;

/// Whether leaf_of[thread] keeps to the limits (with limit_tolerance) and leaves pinned threads
/// where they belong.
bool keeps_limits(const std::vector<std::uint32_t>& leaf_of, const mapping_request& request,
                  const pu_tree& tree, const load_limits& limits);

}  // namespace numatch
