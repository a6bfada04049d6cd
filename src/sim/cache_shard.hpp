// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/cache_entry.hpp"
#include "sim/line_directory.hpp"
#include "sim/line_homes.hpp"
#include "sim/machine_config.hpp"
#include "sim/reference.hpp"
#include "sim/tag_match.hpp"

namespace numatch::sim {

/// The caches of all chips for the lines with line % shards == number, with the directory: since
/// every clean eviction is announced, the directory knows exactly what the tags of the chips' last
/// levels say, so these are the directory. Last levels that are not inclusive do not say it all: a
/// directory of its own does (cache_shard_not_inclusive.cpp). `shards` is a power of two that
/// divides every level's number of sets. Shards have nothing in common and can be used at the same
/// time.
class cache_shard {
 public:
  /// `homes` must live longer.
  cache_shard(const machine_config& config, const line_homes& homes, unsigned shards);

  /// What looking up and coherence do for one reference; fills in cache_stall and shared_level.
  /// Returns the number of the transaction it caused, or no_transaction. `program` is false for a
  /// mechanism's own references, which are counted apart.
  std::uint32_t access(std::uint64_t line, unsigned pu, bool write, bool program,
                       reference& filled);

  /// Has what access() will look at brought near.
  void prefetch(std::uint64_t line, unsigned pu) const {
    const level& first = levels_.front();
    __builtin_prefetch(first.entries.data() + place_of(first, line, first.cache_of_pu[pu]), 1);
    const level& last = levels_.back();
    const entry* const row = last.entries.data() + place_of(last, line, 0);
    constexpr unsigned entries_of_line = 8;
    if (!short_row_) {
      __builtin_prefetch(row + std::size_t{chip_of_pu_[pu]} * last.ways, 1);
      return;
    }
    for (unsigned at = 0; at < row_; at += entries_of_line) __builtin_prefetch(row + at, 1);
  }

  /// A phase with so many references at most.
  void begin_phase(std::size_t references) {
    transactions_.clear();
    // With a directory every level may make a line leave the chip for a reference.
    transactions_.reserve(references * (directory_ ? levels_.size() + 1 : 1));
  }
  /// One of the phase, by what access() returned. It stays where it is; another host thread may
  /// read it while the shard goes on.
  const transaction& transaction_of(std::uint32_t number) const {
    return transactions_.data()[number];
  }

  /// The line leaves all caches (its page has moved).
  void forget(std::uint64_t line);

  struct level_count {
    std::uint64_t accesses = 0;
    std::uint64_t misses = 0;
  };
  const std::vector<level_count>& program_counts() const { return program_counts_; }
  const std::vector<level_count>& mechanism_counts() const { return mechanism_counts_; }

 private:
  /// As in cache_entry.hpp. The last level's are chips' entries (those of one with a directory_
  /// have only the line); above, the state is 1 for a shared copy and 2 for a writable one.
  using entry = std::uint64_t;
  static constexpr unsigned line_shift = 22;
  static constexpr entry empty = ~entry{0} << line_shift;
  static constexpr std::uint64_t state_mask = 15;
  static constexpr entry shared_copy = 1;
  static constexpr entry writable_copy = 2;

  struct level {
    std::vector<entry> entries;  ///< [set][cache][way]
    std::uint64_t sets = 1;      ///< of this shard
    std::uint64_t set_mask = 0;  ///< sets − 1
    bool masks = true;           ///< the number of sets is a power of two
    unsigned caches = 1;
    std::uint64_t set_entries = 1;  ///< of all caches
    unsigned ways = 1;
    unsigned latency = 0;
    bool inclusive = true;
    bool others_hear = false;  ///< what it drops concerns other caches
    bool one_core = true;      ///< nobody but one core's PUs uses a cache of it
    std::vector<std::uint16_t> cache_of_pu;
  };

  std::size_t place_of(const level& of, std::uint64_t line, unsigned cache) const {
    const std::uint64_t number = line >> shard_bits_;
    const std::uint64_t set = of.masks ? number & of.set_mask : number % of.sets;
    return set * of.set_entries + cache * of.ways;
  }
  entry* set_of(level& of, std::uint64_t line, unsigned cache) const {
    return of.entries.data() + place_of(of, line, cache);
  }
  /// Where the line is in a set; null where it is not. In which way it is nobody can foresee, so
  /// that is no branch.
  entry* find(entry* set, unsigned ways, std::uint64_t line) const {
    if (ways == usual_ways) [[likely]]
      return find_in<usual_ways>(set, line);
    if (ways == few_ways) return find_in<few_ways>(set, line);
    for (unsigned begin = 0; begin < ways; begin += 64) {
      const std::uint64_t found =
          match_(set + begin, std::min(64U, ways - begin), line_shift, line);
      if (found != 0) return set + begin + std::countr_zero(found);
    }
    return nullptr;
  }
  static constexpr unsigned usual_ways = 4;
  static constexpr unsigned few_ways = 8;
  template <unsigned Ways>
  static entry* find_in(entry* set, std::uint64_t line) {
    unsigned found = 0;
    for (unsigned way = 1; way < Ways; ++way) {
      found += way * static_cast<unsigned>(set[way] >> line_shift == line);
    }
    return set[found] >> line_shift == line ? set + found : nullptr;
  }
  /// `value` becomes the set's first entry in place of `found`. Written entry by entry: wide copies
  /// would have to wait for the narrow writes before.
  static void to_front(entry* set, entry* found, entry value) {
    for (entry* at = set; at <= found; ++at) value = std::exchange(*at, value);
  }
  void add_level(const cache_config& cache, const machine_config& config, unsigned shards);
  void number_cores(const machine_config& config);
  /// Which caches have the line, a bit per level, without the permission that is needed.
  using levels_present = std::uint32_t;
  /// Whether it is a write is decided once: it decides nearly all that follows.
  template <bool Write>
  std::uint32_t beyond_first(std::uint64_t line, unsigned pu, levels_present present,
                             std::vector<level_count>& counts, reference& filled);
  void fill_above(std::size_t found, std::uint64_t line, unsigned pu, bool write,
                  levels_present present);
  void enter(std::size_t number, std::uint64_t line, unsigned pu, entry state);
  void enter_for_another(std::size_t number, std::uint64_t line, unsigned pu, entry state);
  static constexpr unsigned nobody = ~0U;
  template <class Act>
  void for_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own,
                  const Act& act);
  void remove_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own = nobody);
  bool share_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own = nobody);
  template <bool Write>
  void answer(transaction& made, std::uint64_t line, unsigned other, entry* set, entry* found,
              bool upgrade);
  template <bool Write>
  std::uint32_t ask_home(std::uint64_t line, unsigned chip, entry* own, std::uint64_t others);
  void enter_last(std::uint64_t line, unsigned chip, unsigned core_bit, chip_state state,
                  transaction& caused);

  void take_stops(const machine_config& config);
  std::uint8_t bank_of(std::uint64_t line) const {
    return static_cast<std::uint8_t>(line % banks_);
  }
  std::uint32_t note_hit(unsigned chip);
  void note_stops(transaction& made, std::uint64_t line, unsigned pu, levels_present present) const;

  // cache_shard_not_inclusive.cpp: the last level with directory_.
  std::uint32_t use_directory(std::uint64_t line, unsigned pu, bool write, levels_present present,
                              std::vector<level_count>& counts, std::uint32_t stall,
                              reference& filled);
  chip_state ask_directory(std::uint64_t line, unsigned chip, bool write);
  bool copies_above(std::uint64_t line, unsigned chip);
  void enter_data(std::uint64_t line, unsigned chip);
  void dropped_above(std::uint64_t line, unsigned chip);
  void leave_chip(std::uint64_t line, unsigned chip);
  void forget_in_directory(std::uint64_t line);

  const line_homes& homes_;
  unsigned shard_bits_;
  /// Chips have stops: then every lookup of a last level is a transaction, and takes its time
  /// there.
  bool has_stops_ = false;
  unsigned banks_ = 1;
  std::vector<std::uint8_t> stop_of_pu_;
  /// Where the last level is not inclusive: what each chip has of a line, as an entry without line.
  std::optional<line_directory> directory_;
  std::uint32_t caused_ = no_transaction;  ///< with directory_: by the reference that is looked up
  tag_match match_ = best_tag_match();
  std::vector<level> levels_;
  unsigned chips_;
  /// All chips' ways of a set of the last level lie side by side: what one tag_match looks at.
  unsigned row_ = 1;
  bool short_row_ = true;                    ///< one is enough
  std::vector<std::uint8_t> chip_of_place_;  ///< [place in the row]
  /// A core is a first-level cache with its PUs. Those of a chip that have one bit in an entry's
  /// cores lie side by side: from [chip × 16 + bit] on.
  std::vector<std::uint32_t> cores_begin_;
  std::vector<std::uint32_t> core_caches_;   ///< [core × levels but the last + level]
  std::vector<std::uint32_t> bits_of_chip_;  ///< that cores have
  std::vector<bool> bits_are_shared_;        ///< [chip]: it has more cores than bits
  std::vector<std::uint8_t> chip_of_pu_;
  std::vector<std::uint8_t> bit_of_pu_;
  std::vector<transaction> transactions_;
  std::vector<level_count> program_counts_;
  std::vector<level_count> mechanism_counts_;
};

}  // namespace numatch::sim
