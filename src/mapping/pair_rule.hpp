// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mapping/mapper.hpp"

namespace numatch {

/// MVAS's share of the heaviest pair above which two threads count as correlated. The paper's
/// alpha works per page, before the matrix is summed up; on a matrix that is done already, so any
/// sharing counts.
inline constexpr double default_pair_alpha = 0;

/// The greedy rule of MVAS (Di Gennaro, Pellegrini and Quaglia, section IV), on a sharing matrix:
/// pairs that share more than alpha x what the heaviest pair shares, in falling order (lower
/// threads first on a tie). The first pair goes to the first node. A pair that shares a thread with
/// the pair before it joins that pair's node where there is room, else the next node; any other
/// pair goes to the next node that has room for it.
///
/// The paper leaves open, so chosen here: after the last node comes the first one; a pair that fits
/// on no node is split; inside a node PUs fill in order; threads in no pair fill what is left, in
/// order. alpha is in [0, 1].
thread_mapping map_by_pair_rule(const mapping_request& request, double alpha = default_pair_alpha);

}  // namespace numatch
