// SPDX-License-Identifier: Apache-2.0
// Arms nothing: the page faults that a program has anyway. Each page shows its first user, so this
// tells who touched memory first, and what swapping and the kernel's own NUMA Balancing reveal.
#include "live/fault_stream.hpp"
#include "live/sees_faults.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

namespace {

/// Never rests: what it misses comes never again.
class own_faults : public sensor {
 public:
  explicit own_faults(fault_stream faults) : faults_(std::move(faults)) {}

  result<void> watch(std::span<const mapped_range>) override { return {}; }
  result<armed> arm(std::span<const page_run>) override { return armed{}; }
  result<void> collect(use_sink& sink) override { return faults_.collect(sink); }
  int wake_fd() const override { return faults_.wake_fd(); }

 private:
  fault_stream faults_;
};

result<std::unique_ptr<sensor>> make(observed_process& process) {
  result<fault_stream> faults = fault_stream::open(process);
  if (!faults) return tl::unexpected(faults.error());
  return std::make_unique<own_faults>(std::move(*faults));
}

}  // namespace

extern const sensor_entry faults_sensor;
const sensor_entry faults_sensor{
    .name = "faults",
    .summary = "arms nothing: the page faults that the program has anyway",
    .sees = "reads and writes, not told apart; the first use of a page",
    .source = "Linux page-faults software event (perf_event_open(2))",
    .how = arming::by_hardware,
    .sees_reads = true,
    .rank = 1000,
    .probe = sees_faults,
    .make = make,
};

}  // namespace numatch::live
