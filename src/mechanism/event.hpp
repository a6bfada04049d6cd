// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.hpp"

// What a mechanism senses and what it can ask for.

namespace numatch {

/// Simulated or real time in nanoseconds since the program started. A trace replay has no
/// nanoseconds: there it is the virtual clock of the thread (instructions, or accesses where the
/// trace does not count instructions).
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
  std::optional<pu_id> pu;  ///< whose TLB; nullopt in a world without a machine
};

/// A TLB entry left the TLB, or its access counter saturated (SAMMU's events). `thread` is the
/// thread that filled the entry, which need not run on `pu` any more.
struct tlb_evict_event {
  thread_id thread;
  page_number page;
  std::uint64_t accesses = 0;
  bool saturated = false;   ///< the entry stays in the TLB
  std::optional<pu_id> pu;  ///< whose TLB; nullopt in a world without a machine
};

/// A page fault with its byte address (SPCD: any fault; MVAS: a fault in the thread's own view;
/// kMAF, NUMA Balancing: hint faults).
struct page_fault_event {
  thread_id thread;
  std::uint64_t address = 0;
  bool write = false;
  bool induced = false;  ///< the world took the translation away because the mechanism asked for it
};

/// What answered an access that missed the private caches of its core.
enum class data_source : std::uint8_t {
  shared_cache,   ///< a cache that the core shares with its neighbours
  remote_cache,   ///< a cache of another chip had the line
  local_memory,   ///< memory of the core's own node
  remote_memory,  ///< memory of another node
};

/// An access that missed the private caches and was picked by hardware sampling (PEBS, IBS:
/// Azimi, Marathe, Carrefour).
struct memory_sample_event {
  thread_id thread;
  std::uint64_t address = 0;
  bool write = false;
  data_source source = data_source::local_memory;
  std::uint64_t latency = 0;  ///< cycles that the thread waited
};

/// Kinds of events, for declarations and error messages.
enum class event_kind : std::uint8_t {
  access,
  tlb_miss,
  tlb_evict,
  page_fault,
  memory_sample,
  thread_start,
  thread_end,
  wake_up
};
std::string_view to_string(event_kind kind);

/// Kinds of requests, for declarations and error messages.
enum class action_kind : std::uint8_t {
  move_threads,
  move_pages,
  replicate_pages,
  induce_faults,
  place_new,  ///< where new threads and pages start
  wake_up
};
std::string_view to_string(action_kind kind);

/// Actions are requests: they take time and can fail; the outcome comes back as an event with the
/// same ticket.
struct ticket {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const ticket&, const ticket&) = default;
};
struct outcome_event {
  ticket request;
  action_kind action = action_kind::move_pages;
  bool done = false;
  std::string reason;  ///< why not, when it was not done
};

/// How the world takes translations away so that the next use faults. A new plan replaces the one
/// before.
struct fault_plan {
  enum class kind : std::uint8_t {
    none,          ///< nothing is taken away any more; views end
    share,         ///< present pages at random, so that induced faults are `share` of all (SPCD)
    pages,         ///< these pages, each until its next use by any thread (NUMA hint faults, kMAF)
    all_pages,     ///< every page that is mapped now, until its next use by any thread
    thread_views,  ///< every thread faults once on every page that it uses from now on (MVAS)
  };
  kind what = kind::none;
  double share = 0.1;
  std::span<const page_number> pages{};  ///< read during the call
};

/// Where the operating system puts a page when it is touched first.
enum class page_placing : std::uint8_t { first_touch, interleave, random };
/// Where the operating system puts a thread when it starts: filling nodes in the order of PUs,
/// spreading over nodes, a seeded draw, or as Linux does (the idlest node, an idle core there).
enum class thread_placing : std::uint8_t { compact, scatter, random, linux_like };
std::string_view to_string(page_placing how);
std::string_view to_string(thread_placing how);

/// How a mechanism wants the world's sensors to be set up.
struct sensor_plan {
  /// A TLB entry's access counter saturates here (SAMMU); the world then sends a tlb_evict_event.
  std::uint64_t counter_max = ~std::uint64_t{0};
  /// A counter starts again at 0 after it saturated; else it stays at its maximum.
  bool reset_on_saturation = true;
  /// The hardware of a PU handles one TLB event at a time: what comes meanwhile is dropped (SAMMU
  /// 2.6).
  bool drop_while_busy = false;
  /// Every so many accesses of a thread that missed its private caches, one is a
  /// memory_sample_event; 0: none.
  std::uint64_t sample_period = 0;
};

/// How far a thread has come, as processor counters tell.
struct thread_progress {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;  ///< in which it ran
};

/// A memory touch of the mechanism's own hardware or software tables, so that a world can charge
/// it.
struct table_touch {
  std::uint32_t table = 0;   ///< index in mechanism_entry::tables
  std::uint64_t offset = 0;  ///< bytes from the start of that table
  std::uint32_t bytes = 8;
  bool write = false;
};

/// Work of the mechanism's software half that takes a processor's time besides its touches.
enum class software_work : std::uint8_t {
  map_threads,   ///< amount = threads that were mapped
  scan_pages,    ///< amount = pages that were looked at
  take_samples,  ///< amount = hardware samples that were read
};

}  // namespace numatch
