// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "mechanism/event.hpp"
#include "mechanism/parameters.hpp"
#include "mechanism/world.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// A detector and its policy. The world calls the on_…() functions of the declared needs, in the
/// order of its time; a call may make requests. One object observes one program; objects share
/// nothing and need no lock.
class mechanism {
 public:
  virtual ~mechanism() = default;

  /// Asked once, before the first event.
  virtual sensor_plan sensors() const { return {}; }

  /// Once, before the first event.
  virtual void on_begin(world&) {}
  virtual void on_accesses(thread_id, std::span<const access_event>, world&) {}
  virtual void on_tlb_miss(const tlb_miss_event&, world&) {}
  virtual void on_tlb_evict(const tlb_evict_event&, world&) {}
  virtual void on_page_fault(const page_fault_event&, world&) {}
  virtual void on_memory_sample(const memory_sample_event&, world&) {}
  virtual void on_thread_start(thread_id, world&) {}
  virtual void on_thread_end(thread_id, world&) {}
  virtual void on_wake_up(world&) {}
  virtual void on_outcome(const outcome_event&, world&) {}

  /// What has been detected so far; square, as large as the highest thread seen plus one.
  virtual sharing_matrix sharing() const = 0;
};

/// One mechanism = one file of mechanism/mechanisms that defines `<file>_entry` of this type.
struct mechanism_entry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  ///< paper
  /// Unit of sharing(): "TLB misses", "accesses"; empty for a mechanism that detects nothing, as
  /// the policies of operating systems: its sharing() is an empty matrix.
  std::string_view matrix_unit;
  std::span<const event_kind> needs;
  std::span<const action_kind> acts;
  std::span<const std::string_view> tables;  ///< names of the tables that touch() refers to
  std::span<const parameter> parameters;
  std::size_t max_threads = 0;  ///< how many thread ids its tables can hold
  result<std::unique_ptr<mechanism>> (*make)(const parameter_set&);
};

/// Generated from the files of mechanism/mechanisms, sorted by name.
std::span<const mechanism_entry* const> all_mechanisms();
/// An unknown name is an error that suggests the nearest one.
result<const mechanism_entry*> find_mechanism(std::string_view name);

/// What a world offers; worlds that only detect list no actions and pass `detect_only`, so that a
/// mechanism's acts are not required of them.
struct world_offer {
  std::string_view name;  ///< "a trace", "the simulated machine", "this kernel"
  std::span<const event_kind> events;
  std::span<const action_kind> actions;
  bool detect_only = false;
};
/// An error names the first event or action that the world cannot give.
result<void> check_fit(const mechanism_entry& wanted, const world_offer& offer);
/// An error when there is nothing to learn from the mechanism: it detects no sharing.
result<void> check_detects(const mechanism_entry& wanted);
/// An error when the mechanism's thread ids are too narrow for so many threads.
result<void> check_threads(const mechanism_entry& wanted, std::size_t threads);

}  // namespace numatch
