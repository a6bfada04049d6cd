// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "live/syscall_site.hpp"
#include "live/task_choice.hpp"

namespace numatch::live {
namespace {

mapped_range code_range(std::uint64_t first, std::uint64_t end, std::string name) {
  mapped_range range;
  range.first = first;
  range.end = end;
  range.readable = range.executable = true;
  range.inode = 1;
  range.name = std::move(name);
  return range;
}

/// Memory of zeros with a system call instruction at one address.
memory_reader memory_with_call_at(std::uint64_t address) {
  return [address](std::uint64_t first, std::size_t bytes) {
    std::string code(bytes, '\0');
    if (address >= first && address < first + bytes) code[address - first] = '\x0f';
    if (address + 1 >= first && address + 1 < first + bytes) code[address + 1 - first] = '\x05';
    return code;
  };
}

TEST(SyscallSite, TheKernelsOwnPageComesFirst) {
  const std::vector<mapped_range> mappings = {code_range(0x1000, 0x2000, "/lib/a.so"),
                                              code_range(0x9000, 0xa000, "[vdso]")};
  const memory_reader everywhere = [](std::uint64_t, std::size_t) {
    return std::string("\x90\x0f\x05", 3);
  };
  EXPECT_EQ(find_syscall_site(mappings, everywhere), 0x9001U);
  EXPECT_EQ(find_syscall_site(std::span(mappings).first(1), everywhere), 0x1001U);
}

TEST(SyscallSite, IsFoundAcrossTheBorderOfTwoReads) {
  const std::vector<mapped_range> mappings = {code_range(0x10000, 0x90000, "/lib/a.so")};
  for (const std::uint64_t address : {0x10000UL, 0x1ffffUL, 0x1fffeUL, 0x20000UL, 0x8fffeUL}) {
    EXPECT_EQ(find_syscall_site(mappings, memory_with_call_at(address)), address);
  }
}

TEST(SyscallSite, OnlyCodeThatStaysIsUsed) {
  mapped_range data = code_range(0x1000, 0x2000, "/lib/a.so");
  data.executable = false;
  mapped_range made_at_run_time = code_range(0x3000, 0x4000, "");
  made_at_run_time.inode = 0;
  mapped_range changing = code_range(0x5000, 0x6000, "/lib/b.so");
  changing.writable = true;
  const std::vector<mapped_range> mappings = {data, made_at_run_time, changing};
  const memory_reader everywhere = [](std::uint64_t, std::size_t) {
    return std::string("\x0f\x05");
  };
  EXPECT_EQ(find_syscall_site(mappings, everywhere), std::nullopt);
  EXPECT_EQ(find_syscall_site({}, everywhere), std::nullopt);
}

TEST(SyscallSite, UnreadableCodeIsSkipped) {
  const std::vector<mapped_range> mappings = {code_range(0x1000, 0x2000, "/lib/a.so")};
  EXPECT_EQ(find_syscall_site(mappings, [](std::uint64_t, std::size_t) { return std::string(); }),
            std::nullopt);
}

TEST(TaskChoice, AThreadThatComputesIsDisturbedLeast) {
  EXPECT_EQ(manners_of('R', "running\n"), stop_manners::in_user_space);
  EXPECT_EQ(manners_of('S', "-1 0x7ffc 0x7f00\n"), stop_manners::in_user_space);
  EXPECT_EQ(manners_of('S', "202 0x1 0x0 0x7ffc 0x7f00\n"), stop_manners::restarts);
  EXPECT_EQ(manners_of('S', "232 0x3 0x0 0x7ffc 0x7f00\n"), stop_manners::starts_anew);
  EXPECT_EQ(manners_of('T', "running\n"), stop_manners::stopped);
  EXPECT_EQ(manners_of('D', "0 0x3\n"), stop_manners::unfit);
  EXPECT_EQ(manners_of('Z', "running\n"), stop_manners::unfit);
}

}  // namespace
}  // namespace numatch::live
