// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_on_signal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace numatch::cli {
namespace {

void wait_for(const stop_on_signal& signals) {
  while (!signals.stop()) std::this_thread::yield();
}

TEST(StopOnSignal, TheFirstOneRaisesTheFlag) {
  const stop_on_signal signals;
  EXPECT_FALSE(signals.stop());
  ::kill(::getpid(), SIGTERM);
  wait_for(signals);
  EXPECT_EQ(signals.signal(), SIGTERM);
}

TEST(StopOnSignal, WhatWasIgnoredStaysIgnored) {
  void (*const before)(int) = ::signal(SIGHUP, SIG_IGN);
  {
    const stop_on_signal signals;
    ::kill(::getpid(), SIGHUP);
    ::kill(::getpid(), SIGTERM);
    wait_for(signals);
    EXPECT_EQ(signals.signal(), SIGTERM);
  }
  ::signal(SIGHUP, before);
}

/// Never returns where a second signal is held back, too.
void insist() {
  const stop_on_signal signals;
  ::kill(::getpid(), SIGTERM);
  wait_for(signals);
  ::kill(::getpid(), SIGTERM);
  for (;;) std::this_thread::yield();
}

TEST(StopOnSignalDeathTest, TheSecondOneEndsTheProgram) {
  EXPECT_EXIT(insist(), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace numatch::cli
