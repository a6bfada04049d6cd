// SPDX-License-Identifier: Apache-2.0
#include "live/memory_events.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>

#include "live/memory_sample.hpp"
#include "live/page_fault_event.hpp"

namespace numatch::live {

namespace {

constexpr std::uint64_t samples_a_second = 2000;
/// Addresses from here on are the kernel's.
constexpr std::uint64_t half_of_all_addresses = std::uint64_t{1} << 63U;

perf_event_attr attributes_of(const memory_unit& unit, const memory_event& event, bool kernel_too,
                              bool inherited) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = unit.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.inherit = inherited ? 1 : 0;
  // A unit that cannot leave anything out refuses to be asked.
  attributes.exclude_kernel = unit.leaves_kernel_out && !kernel_too ? 1 : 0;
  attributes.exclude_hv = unit.leaves_kernel_out ? 1 : 0;
  return attributes;
}

perf_event_attr sampling(perf_event_attr attributes, const memory_unit& unit) {
  attributes.freq = 1;
  attributes.sample_freq = samples_a_second;
  attributes.sample_type = memory_sample_fields();
  // The address of the access itself and not of one nearby. (IBS is precise by itself.)
  if (unit.by == memory_unit::maker::pebs) attributes.precise_ip = 2;
  return attributes;
}

class hardware_samples final : public sampled_events {
 public:
  explicit hardware_samples(std::vector<memory_unit> units) : units_(std::move(units)) {}

  std::vector<sampled_event> events(bool kernel_too, bool inherited) const override {
    std::vector<sampled_event> all;
    for (const memory_unit& unit : units_) {
      if (unit.leader) {
        all.push_back({attributes_of(unit, *unit.leader, kernel_too, inherited), true});
      }
      for (std::size_t i = 0; i < unit.events.size(); ++i) {
        const perf_event_attr one = attributes_of(unit, unit.events[i], kernel_too, inherited);
        all.push_back({sampling(one, unit), i > 0 || !unit.leader});
      }
    }
    for (sampled_event& event : all) event.attributes.task = event.leads ? 1 : 0;
    return all;
  }

  std::optional<sensed_use> use_of(std::span<const std::byte> body, pid_t process) const override {
    const std::optional<memory_sample> sample = parse_memory_sample(body);
    if (!sample || sample->process != process) return std::nullopt;
    if (sample->address == 0 || sample->address >= half_of_all_addresses) return std::nullopt;
    const double stands_for = sample->period == 0 ? 1 : static_cast<double>(sample->period);
    return sensed_use{sample->task, sample->address, sample->write,
                      stands_for,   sample->time,    sample->source};
  }

  error refusal(int code, pid_t process) const override {
    error trouble{std::strerror(code), fmt::format("process {}", process), ""};
    if (code == EACCES || code == EPERM) {
      trouble.what = "the kernel does not let this user sample its accesses";
      trouble.hint = "as root: sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON";
    } else if (code == ENOENT || code == EOPNOTSUPP || code == EINVAL || code == ENODEV) {
      trouble.what = fmt::format("the processor's unit {} does not sample its accesses: {}",
                                 units_.front().name, std::strerror(code));
    }
    return trouble;
  }

 private:
  std::vector<memory_unit> units_;
};

}  // namespace

std::unique_ptr<sampled_events> memory_events(std::vector<memory_unit> units) {
  return std::make_unique<hardware_samples>(std::move(units));
}

}  // namespace numatch::live
