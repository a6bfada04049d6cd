// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "live/fault_stream.hpp"
#include "live/page_armer.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

/// A sensor of two halves: what arms pages, and the page faults that tell of their use.
class fault_sensor final : public sensor {
 public:
  /// `armer`: nullptr when nothing is armed.
  static result<std::unique_ptr<sensor>> make(observed_process& process,
                                              std::unique_ptr<page_armer> armer);

  /// Of events that are seen without arming anything.
  static std::unique_ptr<sensor> of(fault_stream seen) {
    return std::unique_ptr<sensor>(new fault_sensor(std::move(seen), nullptr));
  }

  result<void> watch(std::span<const mapped_range> ranges) override;
  std::vector<page_run> in_memory(std::span<const page_run> pages) const override;
  result<armed> arm(std::span<const page_run> pages) override;
  result<void> collect(use_sink& sink) override { return faults_.collect(sink); }
  int wake_fd() const override { return faults_.wake_fd(); }
  result<bool> rest(bool rests) override;

 private:
  fault_sensor(fault_stream faults, std::unique_ptr<page_armer> armer)
      : faults_(std::move(faults)), armer_(std::move(armer)) {}
  fault_stream faults_;
  std::unique_ptr<page_armer> armer_;  ///< goes first: faults of disarming are seen by nobody
};

}  // namespace numatch::live
