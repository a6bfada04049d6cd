// SPDX-License-Identifier: Apache-2.0
#include "mechanism/page_worth.hpp"

namespace numatch {

double gain_of_moving(const node_lead& lead, node_id present, double advantage,
                      const page_prices& prices) {
  if (lead.best == present) return 0;
  const double uses = lead.all * prices.uses;
  return uses * advantage * prices.saved - prices.cost;
}

}  // namespace numatch
