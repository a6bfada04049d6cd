// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mechanism/mechanism.hpp"
#include "profiler/observer.hpp"
#include "profiler/tlb_sensor.hpp"
#include "profiler/trace_world.hpp"

namespace numatch {

/// Feeds a mechanism with the events that it needs and writes profile::sharing, mechanism,
/// matrix_unit and how.
class detector_observer : public observer {
 public:
  struct settings {
    tlb_geometry tlb;
    bool flush_at_thread_end = true;
    bool tlb_filtered = false;  ///< the trace has TLB records instead of accesses
  };

  /// An error when the mechanism's parameters are wrong or the trace lacks what it needs.
  static result<std::unique_ptr<detector_observer>> make(
      const mechanism_entry& entry, const std::map<std::string, std::string>& parameters,
      const settings& chosen);

  void on_event(thread_id thread, const trace::event& happened) override;
  void on_accesses(thread_id thread, std::uint64_t time,
                   std::span<const trace::access> accesses) override;
  void on_tlb_records(thread_id thread, std::uint64_t time,
                      std::span<const trace::tlb_record> records) override;
  result<void> finish(profile& learned) override;

 private:
  detector_observer(const mechanism_entry& entry, parameter_set values,
                    std::unique_ptr<mechanism> detector, const settings& chosen);
  void forward(thread_id thread, std::span<const trace::access> accesses);

  const mechanism_entry& entry_;
  parameter_set values_;
  std::unique_ptr<mechanism> detector_;
  settings settings_;
  trace_world world_;
  bool wants_accesses_ = false;
  std::optional<tlb_sensor> sensor_;
  std::uint64_t recorded_misses_ = 0;
  std::vector<access_event> batch_;
};

}  // namespace numatch
