// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "live/data_source.hpp"

namespace numatch::live {

/// An access that the processor sampled.
struct memory_sample {
  pid_t process = 0;
  pid_t task = 0;
  std::uint64_t time = 0;     ///< nanoseconds of the event's clock
  std::uint64_t address = 0;  ///< of the data, virtual; 0: the processor did not say
  std::uint64_t period = 0;   ///< accesses that this one stands for
  std::uint64_t latency = 0;  ///< cycles; 0: unknown
  std::optional<bool> write;  ///< nullopt: the processor did not say, or it was none of both
  data_source source = data_source::unknown;
};

/// The fields that a sample must have, in perf_event_attr::sample_type.
std::uint64_t memory_sample_fields();
/// The body of a PERF_RECORD_SAMPLE with these fields, in the order of the kernel's ABI
/// (perf_event_open(2), "PERF_RECORD_SAMPLE"); nullopt when it is too short.
std::optional<memory_sample> parse_memory_sample(std::span<const std::byte> body);

/// What the bits of a perf_mem_data_src say. Kernels since 4.14 name the level by a number and mark
/// remoteness by a bit; older ones have a bit for each level and place.
std::optional<bool> is_write(std::uint64_t data_source_bits);
data_source source_of(std::uint64_t data_source_bits);

}  // namespace numatch::live
