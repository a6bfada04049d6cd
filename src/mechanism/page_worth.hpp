// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanism/sampled_pages.hpp"

namespace numatch {

/// What weighing a page's places goes by.
struct page_prices {
  double saved =
      0;            ///< cycles that an access to the own node's memory takes less than to another's
  double uses = 0;  ///< accesses to come for every sample that the page has
  double cost = 0;  ///< cycles that moving a page takes
};

/// Cycles that the program saves when the page moves to its lead, less what that costs; `advantage`
/// is that of forecast. 0 where the lead is where the page is.
double gain_of_moving(const node_lead& lead, node_id present, double advantage,
                      const page_prices& prices);

}  // namespace numatch
