// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "pattern/profile.hpp"
#include "trace/reader.hpp"

namespace numatch {

/// One thing that is learned from a replayed trace (sharing, page usage, objects, cache lines): it
/// sees every step of the replay in order and writes its part of the profile at the end.
class observer {
 public:
  virtual ~observer() = default;
  virtual void on_event(thread_id, const trace::event&) {}
  /// `time` is the thread's virtual clock at the first of these accesses.
  virtual void on_accesses(thread_id, std::uint64_t /*time*/, std::span<const trace::access>) {}
  /// Only for traces recorded with a TLB filter.
  virtual void on_tlb_records(thread_id, std::uint64_t /*time*/,
                              std::span<const trace::tlb_record>) {}
  virtual result<void> finish(profile& learned) = 0;
};

}  // namespace numatch
