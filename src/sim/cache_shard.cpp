// SPDX-License-Identifier: Apache-2.0
#include "sim/cache_shard.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace numatch::sim {

cache_shard::cache_shard(const machine_config& config, const line_homes& homes, unsigned shards)
    : homes_(homes),
      shard_bits_(static_cast<unsigned>(std::countr_zero(shards))),
      chips_(config.chips()),
      program_counts_(config.caches.size()),
      mechanism_counts_(config.caches.size()) {
  for (const cache_config& cache : config.caches) add_level(cache, config, shards);
  if (!levels_.back().inclusive && levels_.size() > 1) directory_.emplace(chips_);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    levels_[l].others_hear = directory_.has_value() || (levels_[l].inclusive && l > 0);
  }
  take_stops(config);
  row_ = chips_ * levels_.back().ways;
  short_row_ = row_ <= 64;
  for (unsigned place = 0; place < row_; ++place) {
    chip_of_place_.push_back(static_cast<std::uint8_t>(place / levels_.back().ways));
  }
  number_cores(config);
}

void cache_shard::take_stops(const machine_config& config) {
  const inside_config& inside = config.inside;
  has_stops_ = !inside.chips.empty();
  if (!has_stops_) {
    levels_.back().latency += 2 * inside.hop;
    return;
  }
  levels_.back().latency = 0;
  banks_ = config.caches.back().banks;
  stop_of_pu_.assign(inside.stop_of_pu.begin(), inside.stop_of_pu.end());
}

void cache_shard::add_level(const cache_config& cache, const machine_config& config,
                            unsigned shards) {
  level made;
  made.sets = cache.sets(config.line_bytes) / shards;
  made.set_mask = made.sets - 1;
  made.masks = std::has_single_bit(made.sets);
  made.caches = cache.shared.count;
  made.ways = cache.ways;
  made.set_entries = std::uint64_t{cache.shared.count} * cache.ways;
  made.latency = cache.latency;
  made.inclusive = cache.inclusive;
  made.entries.assign(made.sets * made.caches * made.ways, empty);
  made.cache_of_pu.assign(cache.shared.group.begin(), cache.shared.group.end());
  std::vector<unsigned> core_of_cache(made.caches, nobody);
  for (std::size_t pu = 0; pu < config.pus(); ++pu) {
    unsigned& known = core_of_cache[cache.shared.group[pu]];
    const unsigned core = config.caches.front().shared.group[pu];
    if (known != nobody && known != core) made.one_core = false;
    known = core;
  }
  levels_.push_back(std::move(made));
}

void cache_shard::number_cores(const machine_config& config) {
  const std::size_t pus = config.pus();
  const std::vector<unsigned>& core_of_pu = config.caches.front().shared.group;
  chip_of_pu_.resize(pus);
  bit_of_pu_.resize(pus);
  std::vector<std::vector<std::size_t>> first_pus(chips_ *
                                                  core_bits);  // [chip × 16 + bit]: a core's
  std::vector<std::size_t> cores_of_chip(chips_, 0);
  std::vector<unsigned> bit_of_core(levels_.front().caches, nobody);
  for (std::size_t pu = 0; pu < pus; ++pu) {
    const unsigned chip = config.caches.back().shared.group[pu];
    unsigned& bit = bit_of_core[core_of_pu[pu]];
    if (bit == nobody) {
      bit = static_cast<unsigned>(cores_of_chip[chip]++ % core_bits);
      first_pus[chip * core_bits + bit].push_back(pu);
    }
    chip_of_pu_[pu] = static_cast<std::uint8_t>(chip);
    bit_of_pu_[pu] = static_cast<std::uint8_t>(bit);
  }
  std::uint32_t cores = 0;
  for (const std::vector<std::size_t>& of_bit : first_pus) {
    cores_begin_.push_back(cores);
    for (const std::size_t pu : of_bit) {
      ++cores;
      for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
        core_caches_.push_back(config.caches[l].shared.group[pu]);
      }
    }
  }
  cores_begin_.push_back(cores);
  for (const std::size_t count : cores_of_chip) {
    bits_of_chip_.push_back((1U << std::min(count, std::size_t{core_bits})) - 1);
    bits_are_shared_.push_back(count > core_bits);
  }
}

std::uint32_t cache_shard::access(std::uint64_t line, unsigned pu, bool write, bool program,
                                  reference& filled) {
  level& first = levels_.front();
  std::vector<level_count>& counts = program ? program_counts_ : mechanism_counts_;
  ++counts.front().accesses;
  levels_present present = 0;
  if (levels_.size() > 1) {
    entry* const set = set_of(first, line, first.cache_of_pu[pu]);
    entry* const found = find(set, first.ways, line);
    if (found != nullptr && (!write || (*found & state_mask) == writable_copy)) [[likely]] {
      to_front(set, found, *found);
      return no_transaction;
    }
    ++counts.front().misses;
    present = found != nullptr;
  }
  return write ? beyond_first<true>(line, pu, present, counts, filled)
               : beyond_first<false>(line, pu, present, counts, filled);
}

template <bool Write>
std::uint32_t cache_shard::beyond_first(std::uint64_t line, unsigned pu, levels_present present,
                                        std::vector<level_count>& counts, reference& filled) {
  const std::size_t last = levels_.size() - 1;
  std::uint32_t stall = 0;
  caused_ = no_transaction;
  for (std::size_t l = 1; l < last; ++l) {
    level& here = levels_[l];
    stall += here.latency;
    ++counts[l].accesses;
    entry* const set = set_of(here, line, here.cache_of_pu[pu]);
    entry* const found = find(set, here.ways, line);
    if (found != nullptr && (!Write || (*found & state_mask) == writable_copy)) {
      to_front(set, found, *found);
      if (!here.one_core) {
        const unsigned chip = chip_of_pu_[pu];
        if constexpr (Write) {
          remove_copies(line, chip, ~std::uint64_t{0}, pu);
        } else if (share_copies(line, chip, ~std::uint64_t{0}, pu)) {
          stall += levels_.front().latency;
        }
        entry* const below =
            directory_ ? directory_->of(line) + chip
                       : find(set_of(levels_[last], line, chip), levels_[last].ways, line);
        *below = with_core(*below, bit_of_pu_[pu]);
      }
      fill_above(l, line, pu, Write, present);
      filled.cache_stall = stall;
      return caused_;
    }
    ++counts[l].misses;
    if (found != nullptr) present |= levels_present{1} << l;
  }
  if (directory_) return use_directory(line, pu, Write, present, counts, stall, filled);

  level& chip_level = levels_[last];
  const unsigned chip = chip_of_pu_[pu];
  const unsigned bit = bit_of_pu_[pu];
  if (last > 0) {
    stall += chip_level.latency;
    ++counts[last].accesses;
  }
  filled.shared_level = true;
  entry* const row = set_of(chip_level, line, 0);
  entry* const set = row + chip * chip_level.ways;
  entry* found = nullptr;
  std::uint64_t others_places = 0;
  if (short_row_) {
    const std::uint64_t all = match_(row, row_, line_shift, line);
    const std::uint64_t ways = ~std::uint64_t{0} >> (64 - chip_level.ways);
    const std::uint64_t own = all >> (chip * chip_level.ways) & ways;
    if (own != 0) found = set + std::countr_zero(own);
    others_places = all & ~(ways << (chip * chip_level.ways));
  } else {
    found = find(set, chip_level.ways, line);
  }
  const chip_state state = found == nullptr ? chip_state::nothing : state_of_entry(*found);
  std::uint32_t number = no_transaction;
  const bool enough = Write ? state == chip_state::modified || state == chip_state::exclusive
                            : state != chip_state::nothing;
  if (enough) {
    entry value = *found;
    // Cores share a bit beyond the sixteenth: then this one's bit may stand for others too.
    const std::uint64_t whom = bits_are_shared_[chip]
                                   ? cores_of_entry(value)
                                   : cores_of_entry(value) & ~(std::uint64_t{1} << bit);
    if constexpr (Write) {
      if (whom != 0) remove_copies(line, chip, whom, pu);
      value = with_only_core(with_state(value, chip_state::modified), bit);
    } else {
      if (state == chip_state::modified && whom != 0 && share_copies(line, chip, whom, pu)) {
        stall += levels_.front().latency;
      }
      value = with_core(value, bit);
    }
    to_front(set, found, value);
    if (has_stops_) number = note_hit(chip);
  } else {
    ++counts[last].misses;
    number = ask_home<Write>(line, chip, found, others_places);
    transaction& caused = transactions_[number];
    if (found != nullptr) {  // an upgrade
      const std::uint64_t cores = cores_of_entry(*found);
      remove_copies(line, chip, cores, pu);
      to_front(set, found, with_only_core(with_state(*found, chip_state::modified), bit));
    } else {
      chip_state becomes = chip_state::modified;
      if constexpr (!Write) {
        // ask_home() has left in `owner` and `losers` what the directory said.
        becomes = caused.what == transaction::kind::forward || caused.losers != 0
                      ? chip_state::shared
                      : chip_state::exclusive;
        caused.losers = 0;
      }
      enter_last(line, chip, bit, becomes, caused);
    }
  }
  if (has_stops_) note_stops(transactions_[number], line, pu, present);
  if (last > 0) fill_above(last, line, pu, Write, present);
  filled.cache_stall = stall;
  return number;
}

/// A transaction for a lookup that needs nobody outside the chip.
std::uint32_t cache_shard::note_hit(unsigned chip) {
  transactions_.emplace_back();
  transactions_.back().what = transaction::kind::hit;
  transactions_.back().chip = static_cast<std::uint8_t>(chip);
  return static_cast<std::uint32_t>(transactions_.size() - 1);
}

/// Whose lookup it is, and where.
void cache_shard::note_stops(transaction& made, std::uint64_t line, unsigned pu,
                             levels_present present) const {
  made.core = stop_of_pu_[pu];
  made.bank = bank_of(line);
  made.fills_core = present == 0;
}

void cache_shard::fill_above(std::size_t found, std::uint64_t line, unsigned pu, bool write,
                             levels_present present) {
  const entry state = write ? writable_copy : shared_copy;
  for (std::size_t l = found; l-- > 0;) {
    if ((present >> l & 1) == 0) {
      enter(l, line, pu, state);
      continue;
    }
    level& above = levels_[l];
    entry* const set = set_of(above, line, above.cache_of_pu[pu]);
    entry* const there = find(set, above.ways, line);
    to_front(set, there, write ? (*there & ~state_mask) | writable_copy : *there);
  }
  if (found < levels_.size() - 1 && write) {
    level& here = levels_[found];
    entry* const set = set_of(here, line, here.cache_of_pu[pu]);
    *set = (*set & ~state_mask) | writable_copy;
  }
}

void cache_shard::enter(std::size_t number, std::uint64_t line, unsigned pu, entry state) {
  level& here = levels_[number];
  entry* const set = set_of(here, line, here.cache_of_pu[pu]);
  entry* const last = set + here.ways - 1;
  if (here.others_hear && *last != empty) return enter_for_another(number, line, pu, state);
  to_front(set, last, line << line_shift | state);
}

/// What is dropped for the line concerns caches above, or below where the last level need not have
/// it.
void cache_shard::enter_for_another(std::size_t number, std::uint64_t line, unsigned pu,
                                    entry state) {
  level& here = levels_[number];
  const unsigned cache = here.cache_of_pu[pu];
  const std::size_t chip = chip_of_pu_[pu];
  entry* const set = set_of(here, line, cache);
  const std::uint64_t lost = set[here.ways - 1] >> line_shift;
  if (here.inclusive) {
    const std::size_t above = levels_.size() - 1;
    for (std::uint32_t core = cores_begin_[chip * core_bits];
         core < cores_begin_[(chip + 1) * core_bits]; ++core) {
      const std::uint32_t* const caches = core_caches_.data() + core * above;
      if (caches[number] != cache) continue;
      for (std::size_t l = 0; l < number; ++l) {
        entry* const other = set_of(levels_[l], lost, caches[l]);
        entry* const copy = find(other, levels_[l].ways, lost);
        if (copy != nullptr) remove_entry(other, levels_[l].ways, copy);
      }
    }
  }
  to_front(set, set + here.ways - 1, line << line_shift | state);
  if (directory_) dropped_above(lost, static_cast<unsigned>(chip));
}

/// act(level, set, copy) for every copy of the line above the chip's last level in caches of these
/// cores that are not also caches of the PU `own`.
template <class Act>
void cache_shard::for_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own,
                             const Act& act) {
  const std::size_t above = levels_.size() - 1;
  for (std::uint64_t left = cores & bits_of_chip_[chip]; left != 0; left &= left - 1) {
    const std::uint32_t* const begin =
        cores_begin_.data() + chip * core_bits + std::countr_zero(left);
    for (std::uint32_t core = begin[0]; core < begin[1]; ++core) {
      for (std::size_t l = 0; l < above; ++l) {
        level& here = levels_[l];
        const std::uint32_t cache = core_caches_[core * above + l];
        if (own != nobody && cache == here.cache_of_pu[own]) continue;
        entry* const set = set_of(here, line, cache);
        entry* const copy = find(set, here.ways, line);
        if (copy != nullptr) act(here, set, copy);
      }
    }
  }
}

void cache_shard::remove_copies(std::uint64_t line, unsigned chip, std::uint64_t cores,
                                unsigned own) {
  for_copies(line, chip, cores, own, [](const level& here, entry* set, entry* copy) {
    remove_entry(set, here.ways, copy);
  });
}

/// True when one of them was writable.
bool cache_shard::share_copies(std::uint64_t line, unsigned chip, std::uint64_t cores,
                               unsigned own) {
  bool any = false;
  for_copies(line, chip, cores, own, [&](const level&, entry*, entry* copy) {
    if ((*copy & state_mask) != writable_copy) return;
    *copy = (*copy & ~state_mask) | shared_copy;
    any = true;
  });
  return any;
}

/// What the directory does about a chip that has the line.
template <bool Write>
void cache_shard::answer(transaction& made, std::uint64_t line, unsigned other, entry* set,
                         entry* found, bool upgrade) {
  const chip_state state = state_of_entry(*found);
  const bool owns = state != chip_state::shared;
  // Who sends the data nobody can foresee: no branch.
  const bool sends = owns & !upgrade;
  made.what = sends ? transaction::kind::forward : made.what;
  made.owner = sends ? static_cast<std::uint8_t>(other) : made.owner;
  made.losers |= static_cast<std::uint64_t>(!sends) << other;
  if constexpr (Write) {
    remove_copies(line, other, cores_of_entry(*found));
    remove_entry(set, levels_.back().ways, found);
  } else if (owns) {
    if (state == chip_state::modified) share_copies(line, other, cores_of_entry(*found));
    *found =
        with_state(*found, state == chip_state::exclusive ? chip_state::shared : chip_state::owned);
  }
}

/// Brings the other chips into the state that the request leaves them in. For a read `losers` are
/// those that share the line and keep it; the caller clears them. `others`: the places in the row
/// where they have it, where one look was enough.
template <bool Write>
std::uint32_t cache_shard::ask_home(std::uint64_t line, unsigned chip, entry* own,
                                    std::uint64_t others) {
  transactions_.emplace_back();
  transaction& made = transactions_.back();
  const line_home home = homes_.find(line, chip);
  made.line = home.line;
  made.home = static_cast<std::uint16_t>(home.node);
  made.chip = static_cast<std::uint8_t>(chip);
  made.write = Write;
  const bool upgrade = own != nullptr;
  constexpr std::array begins{transaction::kind::memory, transaction::kind::upgrade};
  made.what = begins[upgrade];
  const unsigned ways = levels_.back().ways;
  entry* const row = set_of(levels_.back(), line, 0);
  const auto answer_at = [&](unsigned begin, std::uint64_t places) {
    for (; places != 0; places &= places - 1) {
      const unsigned place = begin + static_cast<unsigned>(std::countr_zero(places));
      const unsigned other = chip_of_place_[place];
      if (other == chip) continue;
      answer<Write>(made, line, other, row + other * ways, row + place, upgrade);
    }
  };
  if (short_row_) {
    answer_at(0, others);
  } else {
    for (unsigned begin = 0; begin < row_; begin += 64) {
      answer_at(begin, match_(row + begin, std::min(64U, row_ - begin), line_shift, line));
    }
  }
  return static_cast<std::uint32_t>(transactions_.size() - 1);
}

void cache_shard::enter_last(std::uint64_t line, unsigned chip, unsigned core_bit, chip_state state,
                             transaction& caused) {
  level& chip_level = levels_.back();
  entry* const set = set_of(chip_level, line, chip);
  const entry victim = set[chip_level.ways - 1];
  if (victim != empty) {
    const std::uint64_t dropped = victim >> line_shift;
    const line_home home = homes_.find(dropped, chip);
    caused.dropped_line = home.line;
    caused.dropped_home = static_cast<std::uint16_t>(home.node);
    if (has_stops_) caused.dropped_bank = bank_of(dropped);
    const chip_state left = state_of_entry(victim);
    caused.dropped_dirty = left == chip_state::modified || left == chip_state::owned;
    remove_copies(dropped, chip, cores_of_entry(victim));
  }
  to_front(set, set + chip_level.ways - 1,
           with_only_core(line << line_shift | static_cast<entry>(state), core_bit));
}

void cache_shard::forget(std::uint64_t line) {
  if (directory_) return forget_in_directory(line);
  level& chip_level = levels_.back();
  entry* set = set_of(chip_level, line, 0);
  for (unsigned chip = 0; chip < chips_; ++chip, set += chip_level.ways) {
    entry* const found = find(set, chip_level.ways, line);
    if (found == nullptr) continue;
    remove_copies(line, chip, cores_of_entry(*found));
    remove_entry(set, chip_level.ways, found);
  }
}

}  // namespace numatch::sim
