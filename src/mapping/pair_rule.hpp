// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mapping/mapper.hpp"

namespace numatch {

/// What the greedy rule of MVAS leaves open.
struct pair_rule {
  /// Share of what the heaviest pair shares above which two threads are a pair, in [0, 1]. The
  /// paper's alpha works per page, before the matrix is summed up; on a matrix that is done
  /// already, so any sharing counts.
  double alpha = 0;
  /// After the last node comes the first one; else what does not fit up to the last node counts as
  /// threads in no pair.
  bool wraps = true;
  /// Of pairs that share the same, those with lower threads come first; else with higher ones.
  bool lower_first = true;
  /// Threads in no pair stay where they run now (`current`) where that is possible; else they fill
  /// what is left, in order.
  bool alone_stay = false;
};

/// The greedy rule of MVAS (Di Gennaro, Pellegrini and Quaglia, section IV), on a sharing matrix:
/// pairs in falling order of what they share. The first pair goes to the first node. A pair that
/// shares a thread with the pair before it joins that pair's node where there is room, else the
/// next node; any other pair goes to the next node that has room for it. A pair that fits on no
/// node is split; inside a node PUs fill in order.
thread_mapping map_by_pair_rule(const mapping_request& request, const pair_rule& rule = {});

}  // namespace numatch
