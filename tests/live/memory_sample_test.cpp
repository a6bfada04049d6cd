// SPDX-License-Identifier: Apache-2.0
#include "live/memory_sample.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <vector>

namespace numatch::live {
namespace {

/// Bytes in the order in which the kernel writes them.
class record_bytes {
 public:
  record_bytes& u32(std::uint32_t value) { return add(value, 4); }
  record_bytes& u64(std::uint64_t value) { return add(value, 8); }
  std::span<const std::byte> all() const { return bytes_; }

 private:
  record_bytes& add(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }
  std::vector<std::byte> bytes_;
};

/// The bits of a source, as hardware drivers make them.
std::uint64_t source(std::uint64_t operation, std::uint64_t level, std::uint64_t number = 0,
                     std::uint64_t remote = 0, std::uint64_t lock = 0) {
  perf_mem_data_src made{};
  made.mem_op = operation & 0x1f;
  made.mem_lvl = level & 0x3fff;
  made.mem_lvl_num = number & 0xf;
  made.mem_remote = remote & 1;
  made.mem_lock = lock & 3;
  return made.val;
}

TEST(MemorySample, IsReadInTheOrderOfTheKernelsAbi) {
  record_bytes record;
  record.u32(4242).u32(4245);
  record.u64(1'000'000'007).u64(0x7f0012345678).u64(1009).u64(312);
  record.u64(source(PERF_MEM_OP_LOAD, PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_RAM1));
  const std::optional<memory_sample> sample = parse_memory_sample(record.all());
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->process, 4242);
  EXPECT_EQ(sample->task, 4245);
  EXPECT_EQ(sample->time, 1'000'000'007U);
  EXPECT_EQ(sample->address, 0x7f0012345678U);
  EXPECT_EQ(sample->period, 1009U);
  EXPECT_EQ(sample->latency, 312U);
  EXPECT_EQ(sample->write, false);
  EXPECT_EQ(sample->source, data_source::remote_memory);
}

TEST(MemorySample, OneThatIsCutOffIsNone) {
  record_bytes record;
  record.u32(1).u32(1).u64(2).u64(3).u64(4).u64(5).u32(6);
  EXPECT_FALSE(parse_memory_sample(record.all()));
  EXPECT_FALSE(parse_memory_sample({}));
}

TEST(MemorySample, StoresAndLockedLoadsWriteAndOthersDoNot) {
  EXPECT_EQ(is_write(source(PERF_MEM_OP_STORE, 0)), true);
  EXPECT_EQ(is_write(source(PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE, 0)), true);
  EXPECT_EQ(is_write(source(PERF_MEM_OP_LOAD, 0)), false);
  EXPECT_EQ(is_write(source(PERF_MEM_OP_LOAD, 0, 0, 0, PERF_MEM_LOCK_LOCKED)), true);
  EXPECT_EQ(is_write(source(PERF_MEM_OP_NA, 0)), std::nullopt);
  EXPECT_EQ(is_write(source(PERF_MEM_OP_PFETCH, 0)), std::nullopt);
  EXPECT_EQ(is_write(0), std::nullopt);
}

TEST(MemorySample, KnowsTheSourceByItsNumber) {
  const auto by_number = [](std::uint64_t number, std::uint64_t remote) {
    return source_of(source(PERF_MEM_OP_LOAD, PERF_MEM_LVL_NA, number, remote));
  };
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_L1, 0), data_source::core_cache);
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_L3, 0), data_source::shared_cache);
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_ANY_CACHE, 1), data_source::remote_cache);
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_RAM, 0), data_source::local_memory);
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_RAM, 1), data_source::remote_memory);
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_CXL, 1), data_source::remote_memory);
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_IO, 0), data_source::other);
  EXPECT_EQ(by_number(PERF_MEM_LVLNUM_NA, 0), data_source::unknown);
}

TEST(MemorySample, KnowsTheSourceByTheBitsOfOlderKernels) {
  const auto by_bits = [](std::uint64_t level) {
    return source_of(source(PERF_MEM_OP_LOAD, PERF_MEM_LVL_HIT | level));
  };
  EXPECT_EQ(by_bits(PERF_MEM_LVL_L1), data_source::core_cache);
  EXPECT_EQ(by_bits(PERF_MEM_LVL_L3), data_source::shared_cache);
  EXPECT_EQ(by_bits(PERF_MEM_LVL_REM_CCE2), data_source::remote_cache);
  EXPECT_EQ(by_bits(PERF_MEM_LVL_LOC_RAM), data_source::local_memory);
  EXPECT_EQ(by_bits(PERF_MEM_LVL_REM_RAM2), data_source::remote_memory);
  EXPECT_EQ(by_bits(PERF_MEM_LVL_UNC), data_source::other);
  EXPECT_EQ(by_bits(0), data_source::unknown);
}

}  // namespace
}  // namespace numatch::live
