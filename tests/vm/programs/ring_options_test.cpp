// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "ring_program/options.hpp"

namespace ring {
namespace {

TEST(RingOptions, AreReadFromTheCommandLine) {
  const std::optional<options> found =
      parse({"--threads", "12", "--pattern", "pairs", "--read-percent", "75", "--seed", "9",
             "--accesses", "1000", "--touch", "main", "--cpus", "kept", "--huge",
             "--random-creation", "--shared-pages", "3"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->threads, 12U);
  EXPECT_EQ(found->pattern, sharing::pairs);
  EXPECT_EQ(found->read_percent, 75U);
  EXPECT_EQ(found->seed, 9U);
  EXPECT_EQ(found->accesses, 1000U);
  EXPECT_EQ(found->touch, first_touch::main_thread);
  EXPECT_EQ(found->cpus, cpu_use::kept);
  EXPECT_TRUE(found->huge);
  EXPECT_TRUE(found->random_creation);
  EXPECT_FALSE(found->lock);
  EXPECT_EQ(found->shared_pages, 3U);
}

TEST(RingOptions, SeveralProcessesShareAnObject) {
  EXPECT_EQ(parse({"--processes", "2"})->memory, memory_kind::memfd);
  EXPECT_EQ(parse({"--processes", "2", "--file", "/tmp/x"})->memory, memory_kind::file);
}

TEST(RingOptions, WhatCannotBeIsRefused) {
  const std::vector<std::vector<std::string>> bad = {
      {"--threads", "0"},
      {"--threads", "513"},
      {"--threads", "8x"},
      {"--threads", ""},
      {"--threads"},
      {"--read-percent", "101"},
      {"--pattern", "star"},
      {"--pattern", "pairs", "--threads", "3"},
      {"--processes", "4", "--threads", "2"},
      {"--private-pages", "0", "--shared-pages", "0"},
      {"--accesses", "-1"},
      {"--nothing", "1"},
      {"word"},
  };
  for (const std::vector<std::string>& words : bad) {
    EXPECT_THROW(parse(words), std::invalid_argument) << words.front();
  }
}

TEST(RingOptions, HelpIsNotARun) {
  EXPECT_FALSE(parse({"--threads", "2", "--help"}));
}

}  // namespace
}  // namespace ring
