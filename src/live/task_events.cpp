// SPDX-License-Identifier: Apache-2.0
#include "live/task_events.hpp"

#include "live/page_fault_event.hpp"

namespace numatch::live {

namespace {

class births_and_ends final : public sampled_events {
 public:
  std::vector<sampled_event> events(bool kernel_too, bool inherited) const override {
    // The same as for page faults, so that both share a ring and a clock.
    perf_event_attr attributes = page_fault_attributes(kernel_too, inherited);
    attributes.config = PERF_COUNT_SW_DUMMY;
    return {{attributes, true}};
  }
  std::optional<sensed_use> use_of(std::span<const std::byte>, pid_t) const override {
    return std::nullopt;
  }
  error refusal(int code, pid_t process) const override {
    return cannot_see_faults(code, process, perf_event_paranoid());
  }
};

}  // namespace

std::unique_ptr<sampled_events> task_events() {
  return std::make_unique<births_and_ends>();
}

}  // namespace numatch::live
