// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "mechanism/mechanism.hpp"

namespace numatch {

/// The world of a replayed trace: it has a time and no machine, so a mechanism only detects.
class trace_world : public world {
 public:
  explicit trace_world(std::uint64_t page_bytes) : page_bytes_(page_bytes) {}

  /// Virtual time of the thread whose step is replayed.
  void set_time(std::uint64_t time) { time_ = instant{time}; }

  instant now() const override { return time_; }
  const topology* machine() const override { return nullptr; }
  std::optional<pu_id> pu_of(thread_id) const override { return std::nullopt; }
  std::optional<node_id> node_of(page_number) const override { return std::nullopt; }
  std::uint64_t page_bytes() const override { return page_bytes_; }
  std::optional<thread_progress> progress_of(thread_id) const override { return std::nullopt; }
  std::uint64_t seed() const override { return 1; }
  ticket move_threads(std::span<const pu_id>) override { return refuse(); }
  ticket move_page(page_number, node_id) override { return refuse(); }
  ticket replicate_page(page_number) override { return refuse(); }
  void place_new_pages(page_placing) override { refuse(); }
  void place_new_threads(thread_placing) override { refuse(); }
  ticket induce_faults(const fault_plan&) override { return refuse(); }
  void wake_up_at(instant) override { refuse(); }
  void touch(const table_touch&) override {}
  void spend(software_work, std::uint64_t) override {}

 private:
  static ticket refuse() { throw std::logic_error("a mechanism acts in a world without machine"); }
  std::uint64_t page_bytes_;
  instant time_;
};

/// What a trace can give a mechanism; one recorded behind a TLB has lost the single accesses.
world_offer offer_of_trace(bool tlb_filtered);

}  // namespace numatch
