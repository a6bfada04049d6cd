// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include "base/result.hpp"
#include "trace/reader.hpp"

namespace numatch::trace {

/// An error for a trace that was filtered by a TLB, with what to do about it.
result<void> needs_accesses(const reader& trace);

}  // namespace numatch::trace
