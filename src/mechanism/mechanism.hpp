// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "pattern/sharing_matrix.hpp"
#include "topology/topology.hpp"

namespace numatch {

// ---- what a mechanism senses -------------------------------------------------------------------

/// Simulated or real time in nanoseconds since the program started.
struct instant {
  std::uint64_t nanoseconds = 0;
  friend constexpr auto operator<=>(const instant&, const instant&) = default;
};

/// One memory access; `address` is virtual.
struct access_event {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
};

/// A thread missed in the last level of its TLB (LAPT's event).
struct tlb_miss_event {
  thread_id thread;
  page_number page;
};

/// A TLB entry left the TLB, or its access counter saturated and was reset (SAMMU's events).
/// `thread` is the thread that filled the entry.
struct tlb_evict_event {
  thread_id thread;
  page_number page;
  std::uint64_t accesses = 0;
  bool saturated = false;
};

/// A page fault with its byte address (SPCD: any fault; MVAS: a fault in the thread's own view;
/// kMAF, NUMA Balancing: hint faults).
struct page_fault_event {
  thread_id thread;
  std::uint64_t address = 0;
  bool write = false;
  bool induced = false;  ///< the world took the translation away because the mechanism asked for it
};

/// Kinds of events, for declarations and error messages.
enum class event_kind : std::uint8_t {
  access,
  tlb_miss,
  tlb_evict,
  page_fault,
  thread_start,
  thread_end,
  wake_up
};
std::string_view to_string(event_kind kind);

// ---- what a mechanism can do -------------------------------------------------------------------

enum class action_kind : std::uint8_t { move_threads, move_pages, induce_faults, wake_up };
std::string_view to_string(action_kind kind);

/// Actions are requests: they take time and can fail; the outcome comes back as an event with the
/// same ticket.
struct ticket {
  std::uint64_t value = 0;
};
struct outcome_event {
  ticket request;
  action_kind action = action_kind::move_pages;
  bool done = false;
  std::string reason;  ///< why not, when it was not done
};

/// How the world takes translations away so that the next use faults.
struct fault_plan {
  double share_of_faults = 0.1;  ///< induced faults as a share of all faults (SPCD)
  bool per_thread_view = false;  ///< every thread faults for itself (MVAS)
  std::optional<page_number> only_page;
};

/// A memory touch of the mechanism's own hardware or software tables, so that a world can charge
/// it.
struct table_touch {
  std::uint32_t table = 0;   ///< index in mechanism_entry::tables
  std::uint64_t offset = 0;  ///< bytes from the start of that table
  std::uint32_t bytes = 8;
  bool write = false;
};

/// What a mechanism may know about and ask of the machine that it runs on. A trace replay, the
/// simulated machine and live Linux each implement it. What a world does not know it answers with
/// nullopt, what it cannot do never reaches it: worlds check mechanism_entry::needs and ::acts
/// first (check_fit()).
class world {
 public:
  virtual ~world() = default;
  virtual instant now() const = 0;
  virtual const topology* machine()
      const = 0;  ///< null in a world without a machine (trace replay)
  virtual std::optional<pu_id> pu_of(thread_id thread) const = 0;
  virtual std::optional<node_id> node_of(page_number page) const = 0;

  virtual ticket move_threads(std::span<const pu_id> pu_of_thread) = 0;
  virtual ticket move_page(page_number page, node_id node) = 0;
  virtual ticket induce_faults(const fault_plan& plan) = 0;
  /// on_wake_up() is called at this time.
  virtual void wake_up_at(instant when) = 0;
  virtual void touch(const table_touch& access) = 0;
};

// ---- parameters --------------------------------------------------------------------------------

/// A parameter as it is declared, checked, documented and printed.
struct parameter {
  std::string_view name;
  std::string_view fallback;  ///< the paper's value, as text
  std::string_view unit;      ///< "entries", "ms", "" for a plain number or a word
  std::string_view help;
  std::string_view source;  ///< paper and section or equation
};

/// Checked values: every declared parameter has one.
class parameter_set {
 public:
  /// `given` overrides the declared defaults; an unknown name is an error that suggests the nearest
  /// one.
  static result<parameter_set> make(std::span<const parameter> declared,
                                    const std::map<std::string, std::string>& given);
  const std::map<std::string, std::string>& values() const { return values_; }
  result<std::uint64_t> whole(std::string_view name, std::uint64_t low, std::uint64_t high) const;
  result<double> real(std::string_view name, double low, double high) const;
  result<bool> flag(std::string_view name) const;
  result<std::string> word(std::string_view name, std::span<const std::string_view> known) const;

 private:
  std::map<std::string, std::string> values_;
};

// ---- the mechanism -----------------------------------------------------------------------------

/// A detector and its policy. The world calls the on_…() functions of the declared needs, in the
/// order of its time; a call may make requests. One object observes one program; objects share
/// nothing.
class mechanism {
 public:
  virtual ~mechanism() = default;

  virtual void on_accesses(thread_id, std::span<const access_event>, world&) {}
  virtual void on_tlb_miss(const tlb_miss_event&, world&) {}
  virtual void on_tlb_evict(const tlb_evict_event&, world&) {}
  virtual void on_page_fault(const page_fault_event&, world&) {}
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
  std::string_view source;       ///< paper
  std::string_view matrix_unit;  ///< unit of sharing(): "TLB misses", "accesses"
  std::span<const event_kind> needs;
  std::span<const action_kind> acts;
  std::span<const std::string_view> tables;  ///< names of the tables that touch() refers to
  std::span<const parameter> parameters;
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

}  // namespace numatch
