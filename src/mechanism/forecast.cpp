// SPDX-License-Identifier: Apache-2.0
#include "mechanism/forecast.hpp"

#include <cmath>

namespace numatch {

namespace {

/// Added to every class: trials in which the lead told nothing.
constexpr double doubt = 4;
/// So many trials are enough to let go of some.
constexpr double enough = 256;
constexpr double kept = 0.75;
/// A node with less of a page's samples has no past with it.
constexpr double hardly_any = 0.05;

}  // namespace

std::size_t forecast::class_of(const node_lead& lead) {
  const std::size_t count = lead.all >= 8 ? 2 : lead.all >= 2 ? 1 : 0;
  const double present = lead.all > 0 ? lead.present / lead.all : 0;
  const double ahead = (lead.all > 0 ? lead.most / lead.all : 0) - present;
  const std::size_t margin = ahead >= 0.75 ? 3 : ahead >= 0.5 ? 2 : ahead >= 0.25 ? 1 : 0;
  return (count * margins + margin) * 2 + (present >= hardly_any ? 1 : 0);
}

void forecast::note(const node_lead& before, node_id present, node_id user, double weight) {
  if (before.all <= 0 || before.best == present) return;
  tally& seen = tallies_[class_of(before)];
  seen.trials += weight;
  seen.at_lead += user == before.best ? weight : 0;
  seen.at_present += user == present ? weight : 0;
}

double forecast::advantage(const node_lead& lead) const {
  const tally& seen = tallies_[class_of(lead)];
  const double deviation = std::sqrt(seen.at_lead + seen.at_present);
  return (seen.at_lead - seen.at_present - 2 * deviation) / (seen.trials + doubt);
}

void forecast::age() {
  for (tally& t : tallies_) {
    if (t.trials <= enough) continue;
    t.trials *= kept;
    t.at_lead *= kept;
    t.at_present *= kept;
  }
}

}  // namespace numatch
