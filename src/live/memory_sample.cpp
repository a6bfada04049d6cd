// SPDX-License-Identifier: Apache-2.0
#include "live/memory_sample.hpp"

#include <linux/perf_event.h>

#include <cstring>

namespace numatch::live {

namespace {

/// In this order in the record.
struct sample_body {
  std::uint32_t process = 0;
  std::uint32_t task = 0;
  std::uint64_t time = 0;
  std::uint64_t address = 0;
  std::uint64_t period = 0;
  std::uint64_t latency = 0;
  std::uint64_t source = 0;
};

/// Bits `from` to `from + count - 1`.
constexpr std::uint64_t field(std::uint64_t bits, unsigned from, unsigned count) {
  return bits >> from & ((std::uint64_t{1} << count) - 1);
}

constexpr std::uint64_t levels_of(std::uint64_t bits) {
  return field(bits, PERF_MEM_LVL_SHIFT, 14);
}

data_source by_number(std::uint64_t bits) {
  const bool remote = field(bits, PERF_MEM_REMOTE_SHIFT, 1) != 0;
  switch (field(bits, PERF_MEM_LVLNUM_SHIFT, 4)) {
    case PERF_MEM_LVLNUM_L1:
    case PERF_MEM_LVLNUM_L2:
    case PERF_MEM_LVLNUM_LFB:
      return remote ? data_source::remote_cache : data_source::core_cache;
    case PERF_MEM_LVLNUM_L3:
    case PERF_MEM_LVLNUM_L4:
    case PERF_MEM_LVLNUM_ANY_CACHE:
      return remote ? data_source::remote_cache : data_source::shared_cache;
    case PERF_MEM_LVLNUM_RAM:
    case PERF_MEM_LVLNUM_PMEM:
    case PERF_MEM_LVLNUM_CXL:
      return remote ? data_source::remote_memory : data_source::local_memory;
    case PERF_MEM_LVLNUM_IO:
      return data_source::other;
    default:
      return data_source::unknown;
  }
}

data_source by_bits(std::uint64_t levels) {
  const auto has = [levels](std::uint64_t level) { return (levels & level) != 0; };
  if (has(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2)) return data_source::remote_memory;
  if (has(PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)) return data_source::remote_cache;
  if (has(PERF_MEM_LVL_LOC_RAM)) return data_source::local_memory;
  if (has(PERF_MEM_LVL_L3)) return data_source::shared_cache;
  if (has(PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2)) return data_source::core_cache;
  if (has(PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC)) return data_source::other;
  return data_source::unknown;
}

}  // namespace

std::uint64_t memory_sample_fields() {
  return PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD |
         PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
}

std::optional<memory_sample> parse_memory_sample(std::span<const std::byte> body) {
  sample_body read;
  if (body.size() < sizeof read) return std::nullopt;
  std::memcpy(&read, body.data(), sizeof read);
  memory_sample sample;
  sample.process = static_cast<pid_t>(read.process);
  sample.task = static_cast<pid_t>(read.task);
  sample.time = read.time;
  sample.address = read.address;
  sample.period = read.period;
  sample.latency = read.latency;
  sample.write = is_write(read.source);
  sample.source = source_of(read.source);
  return sample;
}

std::optional<bool> is_write(std::uint64_t data_source_bits) {
  const std::uint64_t what = field(data_source_bits, PERF_MEM_OP_SHIFT, 5);
  // Locked operations read and write.
  if ((what & PERF_MEM_OP_STORE) != 0) return true;
  if ((what & PERF_MEM_OP_LOAD) == 0) return std::nullopt;
  const bool locked = field(data_source_bits, PERF_MEM_LOCK_SHIFT, 2) == PERF_MEM_LOCK_LOCKED;
  return locked;
}

data_source source_of(std::uint64_t data_source_bits) {
  const data_source numbered = by_number(data_source_bits);
  return numbered != data_source::unknown ? numbered : by_bits(levels_of(data_source_bits));
}

}  // namespace numatch::live
