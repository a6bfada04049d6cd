// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/range_set.hpp"

namespace numatch::live {

/// Gives mappings that overlap `changed` and have a policy of numatch's (is_hint_policy) the
/// default policy again, in the process and in processes that it has forked since and that
/// inherited it. A policy that the program has set meanwhile is left alone.
result<void> restore_policies(const observed_process& process, std::span<const byte_range> changed);

}  // namespace numatch::live
