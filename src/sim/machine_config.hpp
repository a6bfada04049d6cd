// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"

// The simulated machine as plain numbers. docs/simulated-machine.md says what each of them does in
// the model; read_config() makes them from a machine description. All times are in processor
// cycles.

namespace numatch::sim {

/// Who shares a cache or TLB: group[pu] = its number, 0..count-1.
struct sharing_groups {
  std::vector<unsigned> group;
  unsigned count = 0;
};

/// One level of data caches. Every PU has a cache of every level.
struct cache_config {
  unsigned level = 1;
  std::uint64_t bytes = 0;  ///< of one cache
  unsigned ways = 1;
  unsigned banks = 1;     ///< of the last level; nothing else has queues
  unsigned latency = 0;   ///< what looking it up adds to the caches above
  bool inclusive = true;  ///< holds every line that the caches above hold
  sharing_groups shared;

  unsigned sets(unsigned line_bytes) const {
    return static_cast<unsigned>(bytes / (std::uint64_t{line_bytes} * ways));
  }
};

struct tlb_config {
  unsigned entries = 64;
  unsigned ways = 4;
  unsigned latency = 0;  ///< a hit here after a miss above stalls so long
  sharing_groups shared;
};

/// In-order cores: an instruction takes one cycle, and a memory access stalls beyond that.
struct core_config {
  double hertz = 2e9;
  unsigned access_stall = 0;  ///< what an access that hits the first level adds
  /// So many misses are under way at once, when they are at most `overlap_window` instructions
  /// behind the first of them; 1: a miss blocks.
  unsigned overlap = 1;
  unsigned overlap_window = 0;
};

/// One direction of one connection. Messages follow each other `bytes_per_cycle`.
struct link_config {
  unsigned from = 0;  ///< node
  unsigned to = 0;
  unsigned latency = 0;
  double bytes_per_cycle = 16;
};

/// How nodes are connected; a route is the links from one node to another in order. The traffic of
/// a message is its bytes times the length of its route.
struct network_config {
  std::vector<link_config> links;
  std::vector<std::vector<std::vector<unsigned>>> route;  ///< [from][to]; [n][n] is empty
  unsigned control_bytes = 8;
  unsigned data_bytes = 72;  ///< a line with its header
  bool queueing = true;
};

/// The inside of one chip: stops for its cores, for the banks of its last-level cache, and a gate
/// to memory and to other chips.
struct chip_config {
  network_config ways;  ///< between stops
  std::vector<unsigned> stop_of_bank;
  unsigned gate = 0;  ///< its stop
};

/// The inside of all chips.
struct inside_config {
  /// From a stop to the next one; 0 where the caches' latencies already hold it.
  unsigned hop = 0;
  /// [chip]. Empty: a lookup of the last level takes two hops more, and nothing inside a chip waits
  /// for anything.
  std::vector<chip_config> chips;
  std::vector<unsigned> stop_of_pu;  ///< with `chips`
  unsigned bank_busy = 0;            ///< with `chips`: that a lookup occupies its bank
};

/// The memory of one node.
struct memory_config {
  unsigned channels = 1;
  unsigned banks = 8;  ///< of a channel, over all its ranks
  unsigned row_bytes = 8192;
  unsigned row_hit = 27;
  unsigned row_closed = 54;    ///< no row is open
  unsigned row_conflict = 81;  ///< another row is open
  /// From the last-level cache over the controller and back: what a read takes besides; nothing is
  /// busy with it.
  unsigned controller = 0;
  unsigned burst = 12;    ///< a line on the channel's data bus
  bool open_rows = true;  ///< false: a row is closed after every access
  bool queueing = true;
  bool drawn_frames = false;  ///< pages get frames in a drawn order, else in that of the frames
};

/// What the operating system's work costs.
struct os_config {
  unsigned page_walk = 30;         ///< TLB miss
  unsigned page_fault = 1000;      ///< first touch of a page
  unsigned induced_fault = 1000;   ///< a fault on a translation that was taken away
  unsigned page_move = 2000;       ///< the kernel's share of moving a page; copying comes on top
  unsigned shootdown = 1000;       ///< of every PU that has to forget a translation
  unsigned thread_move = 10000;    ///< of the thread that is moved
  unsigned context_switch = 2000;  ///< when threads take turns on a PU
  std::uint64_t time_slice = 8'000'000;  ///< of a thread when others wait for its PU
  unsigned map_threads = 20000;          ///< per thread that is mapped (software_work::map_threads)
  unsigned scan_page = 20;               ///< per page that is looked at
  unsigned take_sample = 200;            ///< per hardware sample that is read
};

/// Energy in nanojoule per event and watt of what always burns.
struct energy_config {
  double instruction = 0;
  std::vector<double> cache_access;  ///< by level, [0] is the first
  std::vector<double> cache_watt;    ///< of one cache of each level
  double link_byte = 0;              ///< per byte and hop between chips
  double inside_byte = 0;            ///< … inside them
  double memory_activate = 0;
  double memory_read = 0;   ///< a line
  double memory_write = 0;  ///< a line
  double core_watt = 0;     ///< of one core
  double link_watt = 0;     ///< of one direction of one connection
  double memory_watt = 0;   ///< of one node
};

struct machine_config {
  std::string name;
  unsigned line_bytes = 64;
  std::uint64_t page_bytes = 4096;
  std::vector<unsigned> node_of_pu;
  unsigned nodes = 1;
  core_config core;
  sharing_groups cores;              ///< PUs of one core (SMT)
  std::vector<tlb_config> tlbs;      ///< first level first; one or two
  std::vector<cache_config> caches;  ///< first level first; the last one is the chip's
  network_config network;
  inside_config inside;
  memory_config memory;
  os_config os;
  energy_config energy;

  std::size_t pus() const { return node_of_pu.size(); }
  /// A chip is what shares a last-level cache: the unit of coherence.
  unsigned chips() const { return caches.back().shared.count; }
};

}  // namespace numatch::sim
