// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "live/sampled_events.hpp"

namespace numatch::live {

/// The births and ends of threads alone: the kernel's dummy event, which takes no samples.
std::unique_ptr<sampled_events> task_events();

}  // namespace numatch::live
