// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace numatch::sim {

inline constexpr std::uint32_t no_transaction = ~std::uint32_t{0};
/// The caches have not handled the reference yet.
inline constexpr std::uint32_t not_handled = no_transaction - 1;

/// One line of one access on its way through the machine.
struct reference {
  std::uint32_t offset = 0;       ///< cycles without stalls from the lane's start to its issue
  std::uint32_t tlb_stall = 0;    ///< TLB lookups, walk and faults
  std::uint32_t cache_stall = 0;  ///< lookups; filled in by the caches
  /// In its shard's list. Filled in by the caches as the last thing, and read as the first, because
  /// the weave may follow them at a short distance.
  std::uint32_t transaction = not_handled;
  std::uint64_t address = 0;  ///< virtual, of the first byte in the line
  std::uint8_t shard = 0;
  bool write = false;
  bool shared_level = false;  ///< the chip's cache was looked up; filled in by the caches

  void handled(std::uint32_t number) {
    std::atomic_ref<std::uint32_t>(transaction).store(number, std::memory_order_release);
  }
  /// The transaction, no_transaction or not_handled.
  std::uint32_t caused() {
    return std::atomic_ref<std::uint32_t>(transaction).load(std::memory_order_acquire);
  }
};

/// A reference as its shard sees it.
struct shard_reference {
  std::uint64_t line = 0;
  std::uint32_t when = 0;   ///< estimated cycle within the phase
  std::uint32_t index = 0;  ///< in its lane
  std::uint16_t lane = 0;
  bool write = false;
};

/// What has to happen between chips, and inside them where they have stops, because of a reference.
struct transaction {
  enum class kind : std::uint8_t {
    memory,   ///< data from memory; other chips may lose the line
    forward,  ///< data from the owner
    upgrade,  ///< no data
    drops,    ///< nothing is asked for; a line leaves the chip
    hit,      ///< the last level has it: what happens inside a chip that has stops
  };
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  std::uint64_t line = 0;                ///< within its home
  std::uint64_t dropped_line = no_line;  ///< within its home: left the chip for this one
  std::uint64_t losers = 0;  ///< chips that lose the line, without the owner, a bit each
  std::uint16_t home = 0;    ///< node
  std::uint16_t dropped_home = 0;
  kind what = kind::memory;
  bool write = false;
  bool dropped_dirty = false;
  std::uint8_t chip = 0;
  std::uint8_t owner = 0;
  /// Further lines that left the chip for this reference: the next ones of the list say which.
  std::uint8_t more_drops = 0;
  // Where chips have stops:
  bool fills_core = false;  ///< the core has no copy yet
  std::uint8_t bank = 0;
  std::uint8_t dropped_bank = 0;
  std::uint8_t core = 0;  ///< its stop
};
static_assert(sizeof(transaction) == 40);

/// Something in a lane besides references, in its place among them.
struct marker {
  enum class kind : std::uint8_t {
    release,     ///< object, stamp
    wait_until,  ///< the thread goes on at this cycle at the earliest
  };
  std::uint32_t after = 0;   ///< references of the lane before it
  std::uint32_t offset = 0;  ///< like reference::offset
  kind what = kind::release;
  std::uint64_t object = 0;
  std::uint64_t stamp = 0;  ///< or the cycle of wait_until
};

/// What one PU does in a phase, or what the mechanism's hardware and software do there.
struct lane {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::uint32_t thread = nobody;
  std::uint64_t start = 0;   ///< the thread's clock when the phase began
  std::uint32_t offset = 0;  ///< cycles without stalls so far
  std::uint64_t accesses = 0;
  std::uint64_t further_lines = 0;  ///< of these accesses, beyond their first ones
  std::vector<reference> references;
  std::vector<marker> markers;
  std::vector<std::vector<shard_reference>> by_shard;

  void begin(std::uint32_t whose, std::uint64_t clock) {
    thread = whose;
    start = clock;
    offset = 0;
    accesses = 0;
    further_lines = 0;
    references.clear();
    markers.clear();
    for (std::vector<shard_reference>& list : by_shard) list.clear();
  }
};

}  // namespace numatch::sim
