// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <system_error>

#include "fault_check/faults.hpp"

namespace fault_check {
namespace {

TEST(FaultCheck, AThreadThatDoesNotExistIsSaid) {
  EXPECT_THROW(fault_event(0x7ffffffe, 1), std::system_error);
}

}  // namespace
}  // namespace fault_check
