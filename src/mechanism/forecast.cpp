// SPDX-License-Identifier: Apache-2.0
#include "mechanism/forecast.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace numatch {

namespace {

/// Added to every class: trials in which the lead told nothing.
constexpr double doubt = 4;

}  // namespace

std::size_t forecast::class_of(const node_lead& lead) {
  const std::uint64_t samples = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(lead.all));
  const std::size_t count = std::min<std::size_t>(counts - 1, std::bit_width(samples) - 1u);
  const double share = lead.all > 0 ? lead.most / lead.all : 0;
  const std::size_t purity = share >= 0.9 ? 3 : share >= 0.7 ? 2 : share >= 0.5 ? 1 : 0;
  return count * shares + purity;
}

void forecast::note(const node_lead& before, node_id present, node_id user) {
  if (before.all <= 0 || before.best == present) return;
  tally& seen = tallies_[class_of(before)];
  seen.trials += 1;
  seen.at_lead += user == before.best ? 1 : 0;
  seen.at_present += user == present ? 1 : 0;
}

forecast::odds forecast::of_moving(const node_lead& lead) const {
  const tally& seen = tallies_[class_of(lead)];
  const double trials = seen.trials + doubt;
  return {seen.at_lead / trials, seen.at_present / trials};
}

void forecast::age(double factor) {
  for (tally& t : tallies_) {
    t.trials *= factor;
    t.at_lead *= factor;
    t.at_present *= factor;
  }
}

}  // namespace numatch
