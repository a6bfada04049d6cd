// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine_config.hpp"
#include "sim/reference.hpp"
#include "sim/tag_match.hpp"

namespace numatch::sim {

/// A chip's state of a line.
enum class chip_state : std::uint8_t { nothing, shared, exclusive, owned, modified };

/// The caches of all chips for the lines with line % shards == number, with the directory: since
/// every clean eviction is announced, the directory knows exactly what the tags of the chips' last
/// levels say, so these are the directory. `shards` is a power of two that divides every level's
/// number of sets. Shards have nothing in common and can be used at the same time.
class cache_shard {
 public:
  cache_shard(const machine_config& config, unsigned shards);

  /// What looking up and coherence do for one reference; fills in cache_stall and shared_level.
  /// Returns the number of the transaction it caused, or no_transaction. `program` is false for a
  /// mechanism's own references, which are counted apart.
  std::uint32_t access(std::uint64_t line, unsigned pu, bool write, bool program,
                       reference& filled);

  /// Transactions of the phase so far.
  std::span<const transaction> transactions() const { return transactions_; }
  void begin_phase() { transactions_.clear(); }

  /// The line leaves all caches (its page has moved).
  void forget(std::uint64_t line);

  struct level_count {
    std::uint64_t accesses = 0;
    std::uint64_t misses = 0;
  };
  const std::vector<level_count>& program_counts() const { return program_counts_; }
  const std::vector<level_count>& mechanism_counts() const { return mechanism_counts_; }

 private:
  /// line << 22 | cores << 4 | state. In the last level the state is a chip_state and `cores` says
  /// which cores of the chip may have a copy (core number modulo 16); above, the state is 1 for a
  /// shared copy and 2 for a writable one.
  using entry = std::uint64_t;
  static constexpr unsigned line_shift = 22;
  static constexpr entry empty = ~entry{0} << line_shift;
  static constexpr std::uint64_t state_mask = 15;
  static constexpr entry shared_copy = 1;
  static constexpr entry writable_copy = 2;

  struct level {
    std::vector<entry> entries;  ///< [set][cache][way]
    std::uint64_t sets = 1;      ///< of this shard
    std::uint64_t set_mask = 0;  ///< sets − 1 if that is a power of two, else 0
    unsigned caches = 1;
    std::uint64_t set_entries = 1;  ///< of all caches
    unsigned ways = 1;
    unsigned latency = 0;
    bool inclusive = true;
    bool one_core = true;  ///< nobody but one core's PUs uses a cache of it
    std::vector<std::uint16_t> cache_of_pu;
    std::vector<std::vector<unsigned>> cores_below;  ///< [cache]: first-level caches of its PUs
  };

  std::size_t place_of(const level& of, std::uint64_t line, unsigned cache) const {
    const std::uint64_t number = line >> shard_bits_;
    const std::uint64_t set =
        of.set_mask != 0 || of.sets == 1 ? number & of.set_mask : number % of.sets;
    return set * of.set_entries + cache * of.ways;
  }
  entry* set_of(level& of, std::uint64_t line, unsigned cache) const {
    return of.entries.data() + place_of(of, line, cache);
  }
  static entry* find(entry* set, unsigned ways, std::uint64_t line) {
    for (unsigned way = 0; way < ways; ++way) {
      if (set[way] >> line_shift == line) return set + way;
    }
    return nullptr;
  }
  static void to_front(entry* set, entry* found, entry value) {
    for (entry* at = found; at > set; --at) *at = *(at - 1);
    *set = value;
  }
  std::uint32_t beyond_first(std::uint64_t line, unsigned pu, bool write,
                             std::vector<level_count>& counts, reference& filled);
  void fill_above(std::size_t found, std::uint64_t line, unsigned pu, bool write);
  void enter(std::size_t number, std::uint64_t line, unsigned pu, entry state);
  static constexpr unsigned nobody = ~0U;
  template <class Act>
  void for_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own,
                  const Act& act);
  void remove_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own = nobody);
  bool share_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own = nobody);
  void answer(transaction& made, unsigned other, entry* found, bool write, bool upgrade);
  std::uint32_t ask_home(std::uint64_t line, unsigned chip, bool write, entry* own);
  void enter_last(std::uint64_t line, unsigned chip, unsigned core_bit, chip_state state,
                  transaction& caused);

  unsigned shard_bits_;
  tag_match match_ = best_tag_match();
  std::vector<level> levels_;
  unsigned chips_;
  /// [chip]: its first-level caches, and for each the caches of the levels up to the last but one.
  struct core_path {
    unsigned bit = 0;             ///< in an entry's cores
    std::vector<unsigned> cache;  ///< [level]
  };
  std::vector<std::vector<core_path>> cores_of_chip_;
  std::vector<std::uint8_t> chip_of_pu_;
  std::vector<std::uint8_t> bit_of_pu_;
  std::vector<transaction> transactions_;
  std::vector<level_count> program_counts_;
  std::vector<level_count> mechanism_counts_;
};

}  // namespace numatch::sim
