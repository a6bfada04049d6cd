// SPDX-License-Identifier: Apache-2.0
#include "live/fault_sensor.hpp"

namespace numatch::live {

result<std::unique_ptr<sensor>> fault_sensor::make(observed_process& process,
                                                   std::unique_ptr<page_armer> armer) {
  result<fault_stream> faults = fault_stream::open(process);
  if (!faults) return tl::unexpected(faults.error());
  return std::unique_ptr<sensor>(new fault_sensor(std::move(*faults), std::move(armer)));
}

result<void> fault_sensor::watch(std::span<const mapped_range> ranges) {
  return armer_ ? armer_->watch(ranges) : result<void>();
}

result<bool> fault_sensor::rest(bool rests) {
  const result<void> done = faults_.rest(rests);
  return done ? result<bool>(true) : tl::unexpected(done.error());
}

std::vector<page_run> fault_sensor::in_memory(std::span<const page_run> pages) const {
  return armer_ ? armer_->in_memory(pages) : sensor::in_memory(pages);
}

result<armed> fault_sensor::arm(std::span<const page_run> pages) {
  return armer_ ? armer_->arm(pages) : armed{};
}

}  // namespace numatch::live
