// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What one simulated run gives. Everything here is simulated; times are cycles of simulated time
// unless said otherwise.

namespace numatch::sim {

/// Why bytes cross links between nodes.
enum class traffic : std::uint8_t {
  request,       ///< control: misses and upgrades on the way to a page's home
  forward,       ///< control: from a home to the cache that owns a line
  invalidation,  ///< control: invalidations and their acknowledgements
  data,          ///< lines to caches
  write_back,    ///< lines to memory, and the notices of clean evictions
  page_copy,     ///< pages that are moved or replicated
  table,         ///< all messages for a mechanism's own tables
};
inline constexpr std::size_t traffic_classes = 7;
std::string_view to_string(traffic why);

struct cache_counts {
  unsigned level = 1;
  std::uint64_t accesses = 0;  ///< by the program
  std::uint64_t misses = 0;
};

/// In joule. dynamic + static = all.
struct energy_split {
  double cores = 0;
  double caches = 0;
  double links = 0;
  double memory = 0;
  double total() const { return cores + caches + links + memory; }
};

/// One piece of the run's timeline; counts are of this piece.
struct timeline_point {
  std::uint64_t begin = 0;  ///< cycles
  std::uint64_t end = 0;
  std::uint64_t instructions = 0;
  std::uint64_t memory_accesses = 0;
  std::uint64_t remote_accesses = 0;
  std::uint64_t traffic_bytes = 0;
  std::uint64_t pages_moved = 0;
  std::uint64_t threads_moved = 0;
};

/// A decision of a mechanism that reached the machine.
struct decision {
  std::uint64_t cycle = 0;
  std::uint64_t threads_moved = 0;
  std::uint64_t pages_asked = 0;
};

struct run_result {
  std::string mechanism;
  std::map<std::string, std::string> parameters;
  std::string threads_start;  ///< thread_placing and page_placing of the run, in words
  std::string pages_start;
  double hertz = 0;

  std::uint64_t cycles = 0;  ///< until the last thread ended
  std::uint64_t instructions = 0;
  std::uint64_t accesses = 0;
  std::uint64_t running_cycles = 0;  ///< of all threads together: instructions and stalls
  // Where the threads' time went besides instructions (sums over threads).
  std::uint64_t stall_tlb = 0;
  std::uint64_t stall_caches = 0;
  std::uint64_t stall_memory = 0;  ///< misses of the last level, without queueing
  std::uint64_t stall_queues = 0;
  std::uint64_t stall_system = 0;  ///< faults, moves, shootdowns, software of the mechanism

  std::vector<cache_counts> caches;
  std::uint64_t tlb_accesses = 0;
  std::uint64_t tlb_misses = 0;  ///< of the first level
  std::uint64_t page_walks = 0;  ///< misses of the last level

  std::uint64_t local_memory = 0;    ///< last-level misses that memory of the own node answered
  std::uint64_t remote_memory = 0;   ///< … of another node
  std::uint64_t cache_to_cache = 0;  ///< … another chip's cache
  std::uint64_t upgrades = 0;
  std::uint64_t invalidations = 0;  ///< lines that another chip's write took away
  std::uint64_t write_backs = 0;
  std::uint64_t memory_reads = 0, memory_writes = 0;  ///< lines, for whatever reason
  std::uint64_t row_hits = 0, row_closed = 0, row_conflicts = 0;
  std::array<std::uint64_t, traffic_classes> traffic_bytes{};  ///< bytes × hops
  std::uint64_t inside_bytes = 0;  ///< bytes × hops inside chips, where these have stops

  std::uint64_t pages = 0;  ///< mapped
  std::uint64_t page_faults = 0;
  std::uint64_t induced_faults = 0;
  std::uint64_t pages_asked = 0, pages_moved = 0, pages_failed = 0;
  std::uint64_t pages_replicated = 0, replicas_collapsed = 0;
  std::uint64_t page_move_cycles = 0;
  std::uint64_t threads_moved = 0;
  std::uint64_t thread_move_cycles = 0;

  // The mechanism's own work.
  std::uint64_t hardware_events = 0;  ///< handled
  std::uint64_t events_dropped = 0;
  std::uint64_t hardware_cycles = 0;  ///< in which handlers were busy; nobody waits for them
  std::uint64_t table_accesses = 0;
  std::uint64_t software_cycles = 0;                  ///< at the unscaled interval
  std::optional<std::uint64_t> first_thread_mapping;  ///< cycle
  std::optional<std::uint64_t> first_page_move;

  energy_split dynamic_energy, static_energy;
  std::vector<timeline_point> timeline;
  std::vector<decision> decisions;

  double seconds() const { return hertz == 0 ? 0 : static_cast<double>(cycles) / hertz; }
  double cpi() const {
    return instructions == 0
               ? 0
               : static_cast<double>(running_cycles) / static_cast<double>(instructions);
  }
  std::uint64_t memory_accesses() const { return local_memory + remote_memory; }
  double remote_share() const {
    return memory_accesses() == 0
               ? 0
               : static_cast<double>(remote_memory) / static_cast<double>(memory_accesses());
  }
  std::uint64_t total_traffic() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : traffic_bytes) sum += bytes;
    return sum;
  }
};

}  // namespace numatch::sim
