// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/range_set.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

/// The half of a sensor that arms pages; its functions are as in `sensor`. The destructor puts
/// everything back.
class page_armer {
 public:
  virtual ~page_armer() = default;
  virtual result<void> watch(std::span<const mapped_range> ranges) = 0;
  virtual std::vector<page_run> in_memory(std::span<const page_run> pages) const {
    return {pages.begin(), pages.end()};
  }
  virtual result<armed> arm(std::span<const page_run> pages) = 0;
};

inline byte_range bytes_of(const page_run& run) {
  const std::uint64_t first = run.first.value * sensed_page_bytes;
  return {first, first + run.pages * sensed_page_bytes};
}

}  // namespace numatch::live
