// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "mechanism/event.hpp"
#include "topology/topology.hpp"

namespace numatch {

class distance_table;  // mapping/mapper.hpp

/// What a mechanism may know about and ask of the machine that it runs on. A trace replay, the
/// simulated machine and live Linux each implement it. What a world does not know it answers with
/// nullopt, what it cannot do never reaches it: worlds check mechanism_entry::needs and ::acts
/// first (check_fit()), and a mechanism asks for actions only where machine() is not null.
class world {
 public:
  virtual ~world() = default;
  virtual instant now() const = 0;
  /// Null in a world that only detects (trace replay).
  virtual const topology* machine() const = 0;
  /// How far the machine's PUs are apart, where the world knows more than the tree says, as of
  /// chips on a ring; null: topology::distance().
  virtual const distance_table* distances() const { return nullptr; }
  virtual std::optional<pu_id> pu_of(thread_id thread) const = 0;
  virtual std::optional<node_id> node_of(page_number page) const = 0;

  /// Size of the pages that page numbers count, a power of two.
  virtual std::uint64_t page_bytes() const = 0;

  virtual std::optional<thread_progress> progress_of(thread_id thread) const = 0;
  /// For every draw that a mechanism makes.
  virtual std::uint64_t seed() const = 0;

  /// thread → PU, by thread number; threads beyond the span stay.
  virtual ticket move_threads(std::span<const pu_id> pu_of_thread) = 0;
  virtual ticket move_page(page_number page, node_id node) = 0;
  /// Every node gets a copy of the page to read; the first write leaves one.
  virtual ticket replicate_page(page_number page) = 0;
  virtual void place_new_pages(page_placing how) = 0;
  virtual void place_new_threads(thread_placing how) = 0;
  virtual ticket induce_faults(const fault_plan& plan) = 0;
  /// on_wake_up() is called at this time; one wake-up per call.
  virtual void wake_up_at(instant when) = 0;

  /// Accounting: memory that the mechanism touches and work that its software half does.
  virtual void touch(const table_touch& access) = 0;
  virtual void spend(software_work kind, std::uint64_t amount) = 0;
};

}  // namespace numatch
