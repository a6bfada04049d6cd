// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "mechanism/mechanism.hpp"
#include "profiler/tlb_geometry.hpp"
#include "trace/reader.hpp"
#include "trace/tlb.hpp"

namespace numatch {

/// Makes the TLB events of a mechanism from the accesses of a trace: one TLB per thread, as if
/// every thread had a PU of its own. An access that touches several pages looks each of them up.
class tlb_sensor {
 public:
  tlb_sensor(const tlb_geometry& geometry, mechanism& receiver);

  void accesses(thread_id thread, std::span<const trace::access> accesses, world& where);
  /// Everything that is still in the thread's TLB leaves it.
  void flush(thread_id thread, world& where);
  void flush_all(world& where);

  std::uint64_t misses() const { return misses_; }

 private:
  /// A thread's TLB and its storage.
  struct thread_tlb {
    std::vector<tlb_entry> storage;
    tlb lookup;
  };

  tlb& tlb_of(thread_id thread);
  void look_up(tlb& lookup, thread_id thread, std::uint64_t page, world& where);
  void missed(thread_id thread, std::uint64_t page, const tlb_entry& evicted, world& where);
  void saturated(std::uint64_t& count, thread_id thread, std::uint64_t page, world& where);

  tlb_geometry geometry_;
  unsigned page_shift_;
  mechanism& receiver_;
  sensor_plan plan_;
  std::uint64_t misses_ = 0;
  std::vector<std::unique_ptr<thread_tlb>> tlbs_;
};

}  // namespace numatch
