// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sample_budget.hpp"

#include <algorithm>
#include <cmath>

namespace numatch {

namespace {

constexpr double calmest = 8;

}  // namespace

void sample_budget::end_interval(double cycles, bool changed) {
  calm_ = changed ? 1 : std::min(2 * calm_, calmest);
  if (cycles > 0) {
    const double reading_all = static_cast<double>(read_ * thinning_) * cost_ / cycles;
    const double wanted = std::clamp(reading_all * calm_ / share_, 1.0, 1e9);
    thinning_ = static_cast<std::uint64_t>(std::ceil(wanted));
  }
  read_ = 0;
}

}  // namespace numatch
