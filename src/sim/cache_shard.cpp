// SPDX-License-Identifier: Apache-2.0
#include "sim/cache_shard.hpp"

#include <algorithm>
#include <bit>

namespace numatch::sim {

namespace {

constexpr std::uint64_t core_bits = 16;
constexpr unsigned cores_shift = 4;
constexpr std::uint64_t empty_entry = ~std::uint64_t{0} << 22;

constexpr chip_state state_of_entry(std::uint64_t e) {
  return static_cast<chip_state>(e & 15);
}
constexpr std::uint64_t cores_of_entry(std::uint64_t e) {
  return (e >> cores_shift) & ((1U << core_bits) - 1);
}
constexpr std::uint64_t with_state(std::uint64_t e, chip_state state) {
  return (e & ~std::uint64_t{15}) | static_cast<std::uint64_t>(state);
}
constexpr std::uint64_t with_only_core(std::uint64_t e, unsigned bit) {
  constexpr std::uint64_t all = ((std::uint64_t{1} << core_bits) - 1) << cores_shift;
  return (e & ~all) | (std::uint64_t{1} << (bit + cores_shift));
}
constexpr std::uint64_t with_core(std::uint64_t e, unsigned bit) {
  return e | (std::uint64_t{1} << (bit + cores_shift));
}

/// Forgets what `at` points to; the entries behind it move up, so that free ways are at the end.
void remove_entry(std::uint64_t* set, unsigned ways, std::uint64_t* at) {
  std::uint64_t* const last = set + ways - 1;
  for (; at < last; ++at) *at = *(at + 1);
  *last = empty_entry;
}

}  // namespace

cache_shard::cache_shard(const machine_config& config, unsigned shards)
    : shard_bits_(static_cast<unsigned>(std::countr_zero(shards))),
      chips_(config.chips()),
      program_counts_(config.caches.size()),
      mechanism_counts_(config.caches.size()) {
  const std::size_t pus = config.pus();
  for (const cache_config& cache : config.caches) {
    level made;
    made.sets = cache.sets(config.line_bytes) / shards;
    if (std::has_single_bit(made.sets)) made.set_mask = made.sets - 1;
    made.caches = cache.shared.count;
    made.ways = cache.ways;
    made.set_entries = std::uint64_t{cache.shared.count} * cache.ways;
    made.latency = cache.latency;
    made.inclusive = cache.inclusive;
    made.entries.assign(made.sets * made.caches * made.ways, empty);
    made.cache_of_pu.assign(cache.shared.group.begin(), cache.shared.group.end());
    made.cores_below.resize(made.caches);
    for (std::size_t pu = 0; pu < pus; ++pu) {
      std::vector<unsigned>& below = made.cores_below[cache.shared.group[pu]];
      const unsigned first = config.caches.front().shared.group[pu];
      if (std::find(below.begin(), below.end(), first) == below.end()) below.push_back(first);
    }
    for (const std::vector<unsigned>& below : made.cores_below) {
      if (below.size() > 1) made.one_core = false;
    }
    levels_.push_back(std::move(made));
  }
  levels_.back().latency += 2 * config.network.intra_latency;
  chip_of_pu_.resize(pus);
  bit_of_pu_.resize(pus);
  cores_of_chip_.resize(chips_);
  std::vector<bool> seen(levels_.front().caches, false);
  std::vector<unsigned> bit_of_first(levels_.front().caches, 0);
  for (std::size_t pu = 0; pu < pus; ++pu) {
    const unsigned chip = config.caches.back().shared.group[pu];
    const unsigned first = config.caches.front().shared.group[pu];
    chip_of_pu_[pu] = static_cast<std::uint8_t>(chip);
    if (!seen[first]) {
      seen[first] = true;
      core_path path;
      path.bit = static_cast<unsigned>(cores_of_chip_[chip].size() % core_bits);
      for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
        path.cache.push_back(config.caches[l].shared.group[pu]);
      }
      bit_of_first[first] = path.bit;
      cores_of_chip_[chip].push_back(std::move(path));
    }
    bit_of_pu_[pu] = static_cast<std::uint8_t>(bit_of_first[first]);
  }
}

std::uint32_t cache_shard::access(std::uint64_t line, unsigned pu, bool write, bool program,
                                  reference& filled) {
  level& first = levels_.front();
  std::vector<level_count>& counts = program ? program_counts_ : mechanism_counts_;
  ++counts.front().accesses;
  if (levels_.size() > 1) {
    entry* const set = set_of(first, line, first.cache_of_pu[pu]);
    entry* const found = find(set, first.ways, line);
    if (found != nullptr && (!write || (*found & state_mask) == writable_copy)) [[likely]] {
      to_front(set, found, *found);
      return no_transaction;
    }
    ++counts.front().misses;
  }
  return beyond_first(line, pu, write, counts, filled);
}

std::uint32_t cache_shard::beyond_first(std::uint64_t line, unsigned pu, bool write,
                                        std::vector<level_count>& counts, reference& filled) {
  const std::size_t last = levels_.size() - 1;
  std::uint32_t stall = 0;
  for (std::size_t l = 1; l < last; ++l) {
    level& here = levels_[l];
    stall += here.latency;
    ++counts[l].accesses;
    entry* const set = set_of(here, line, here.cache_of_pu[pu]);
    entry* const found = find(set, here.ways, line);
    if (found != nullptr && (!write || (*found & state_mask) == writable_copy)) {
      to_front(set, found, *found);
      if (!here.one_core) {
        const unsigned chip = chip_of_pu_[pu];
        if (write) {
          remove_copies(line, chip, ~std::uint64_t{0}, pu);
        } else if (share_copies(line, chip, ~std::uint64_t{0}, pu)) {
          stall += levels_.front().latency;
        }
        entry* const below = find(set_of(levels_[last], line, chip), levels_[last].ways, line);
        *below = with_core(*below, bit_of_pu_[pu]);
      }
      fill_above(l, line, pu, write);
      filled.cache_stall = stall;
      return no_transaction;
    }
    ++counts[l].misses;
  }

  level& chip_level = levels_[last];
  const unsigned chip = chip_of_pu_[pu];
  const unsigned bit = bit_of_pu_[pu];
  if (last > 0) {
    stall += chip_level.latency;
    ++counts[last].accesses;
  }
  filled.shared_level = true;
  entry* const set = set_of(chip_level, line, chip);
  entry* const found = find(set, chip_level.ways, line);
  const chip_state state = found == nullptr ? chip_state::nothing : state_of_entry(*found);
  std::uint32_t number = no_transaction;
  const bool enough = write ? state == chip_state::modified || state == chip_state::exclusive
                            : state != chip_state::nothing;
  if (enough) {
    entry value = *found;
    const std::uint64_t others = cores_of_entry(value) & ~(std::uint64_t{1} << bit);
    if (write) {
      // Cores share a bit beyond the sixteenth: then this one's bit may stand for others too.
      const std::uint64_t whom =
          cores_of_chip_[chip].size() > core_bits ? cores_of_entry(value) : others;
      if (whom != 0) remove_copies(line, chip, whom, pu);
      value = with_only_core(with_state(value, chip_state::modified), bit);
    } else {
      if (state == chip_state::modified) {
        const std::uint64_t whom =
            cores_of_chip_[chip].size() > core_bits ? cores_of_entry(value) : others;
        if (whom != 0 && share_copies(line, chip, whom, pu)) stall += levels_.front().latency;
      }
      value = with_core(value, bit);
    }
    to_front(set, found, value);
  } else {
    ++counts[last].misses;
    number = ask_home(line, chip, write, found);
    transaction& caused = transactions_[number];
    if (found != nullptr) {  // an upgrade
      const std::uint64_t cores = cores_of_entry(*found);
      remove_copies(line, chip, cores, pu);
      to_front(set, found, with_only_core(with_state(*found, chip_state::modified), bit));
    } else {
      chip_state becomes = chip_state::modified;
      if (!write) {
        // ask_home() has left in `owner` and `losers` what the directory said.
        becomes = caused.what == transaction::kind::forward || caused.losers != 0
                      ? chip_state::shared
                      : chip_state::exclusive;
        caused.losers = 0;
      }
      enter_last(line, chip, bit, becomes, caused);
    }
  }
  if (last > 0) fill_above(last, line, pu, write);
  filled.cache_stall = stall;
  return number;
}

void cache_shard::fill_above(std::size_t found, std::uint64_t line, unsigned pu, bool write) {
  const entry state = write ? writable_copy : shared_copy;
  for (std::size_t l = found; l-- > 0;) {
    level& above = levels_[l];
    entry* const set = set_of(above, line, above.cache_of_pu[pu]);
    entry* const present = find(set, above.ways, line);
    if (present != nullptr) {
      const entry value = write ? (*present & ~state_mask) | writable_copy : *present;
      to_front(set, present, value);
    } else {
      enter(l, line, pu, state);
    }
  }
  if (write && found < levels_.size() - 1) {
    level& here = levels_[found];
    entry* const set = set_of(here, line, here.cache_of_pu[pu]);
    *set = (*set & ~state_mask) | writable_copy;
  }
}

void cache_shard::enter(std::size_t number, std::uint64_t line, unsigned pu, entry state) {
  level& here = levels_[number];
  const unsigned cache = here.cache_of_pu[pu];
  entry* const set = set_of(here, line, cache);
  const entry victim = set[here.ways - 1];
  if (victim != empty && here.inclusive && number > 0) {
    const std::uint64_t lost = victim >> line_shift;
    for (const core_path& core : cores_of_chip_[chip_of_pu_[pu]]) {
      if (core.cache[number] != cache) continue;
      for (std::size_t l = 0; l < number; ++l) {
        entry* const above = set_of(levels_[l], lost, core.cache[l]);
        entry* const copy = find(above, levels_[l].ways, lost);
        if (copy != nullptr) remove_entry(above, levels_[l].ways, copy);
      }
    }
  }
  to_front(set, set + here.ways - 1, line << line_shift | state);
}

/// act(level, set, copy) for every copy of the line above the chip's last level in caches of these
/// cores that are not also caches of the PU `own`.
template <class Act>
void cache_shard::for_copies(std::uint64_t line, unsigned chip, std::uint64_t cores, unsigned own,
                             const Act& act) {
  for (const core_path& core : cores_of_chip_[chip]) {
    if ((cores >> core.bit & 1) == 0) continue;
    for (std::size_t l = 0; l < core.cache.size(); ++l) {
      level& here = levels_[l];
      if (own != nobody && core.cache[l] == here.cache_of_pu[own]) continue;
      entry* const set = set_of(here, line, core.cache[l]);
      entry* const copy = find(set, here.ways, line);
      if (copy != nullptr) act(here, set, copy);
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
void cache_shard::answer(transaction& made, unsigned other, entry* found, bool write,
                         bool upgrade) {
  const chip_state state = state_of_entry(*found);
  const bool owns = state != chip_state::shared;
  if (owns && !upgrade) {
    made.what = transaction::kind::forward;
    made.owner = static_cast<std::uint8_t>(other);
  } else {
    made.losers |= std::uint64_t{1} << other;
  }
  if (write) {
    level& chip_level = levels_.back();
    remove_copies(made.line, other, cores_of_entry(*found));
    remove_entry(set_of(chip_level, made.line, other), chip_level.ways, found);
  } else if (owns) {
    if (state == chip_state::modified) share_copies(made.line, other, cores_of_entry(*found));
    *found =
        with_state(*found, state == chip_state::exclusive ? chip_state::shared : chip_state::owned);
  }
}

/// Brings the other chips into the state that the request leaves them in. For a read `losers` are
/// those that share the line and keep it; the caller clears them.
std::uint32_t cache_shard::ask_home(std::uint64_t line, unsigned chip, bool write, entry* own) {
  transaction made;
  made.line = line;
  made.chip = static_cast<std::uint8_t>(chip);
  made.write = write;
  level& chip_level = levels_.back();
  entry* const set = set_of(chip_level, line, 0);
  const unsigned ways = chip_level.ways;
  // All chips' ways of the set lie side by side.
  const unsigned all = chips_ * ways;
  for (unsigned begin = 0; begin < all; begin += 64) {
    std::uint64_t found = match_(set + begin, std::min(64U, all - begin), line_shift, line);
    for (; found != 0; found &= found - 1) {
      const unsigned place = begin + static_cast<unsigned>(std::countr_zero(found));
      if (place / ways != chip) answer(made, place / ways, set + place, write, own != nullptr);
    }
  }
  if (own != nullptr) {
    made.what = transaction::kind::upgrade;
  }
  transactions_.push_back(made);
  return static_cast<std::uint32_t>(transactions_.size() - 1);
}

void cache_shard::enter_last(std::uint64_t line, unsigned chip, unsigned core_bit, chip_state state,
                             transaction& caused) {
  level& chip_level = levels_.back();
  entry* const set = set_of(chip_level, line, chip);
  const entry victim = set[chip_level.ways - 1];
  if (victim != empty) {
    caused.dropped = victim >> line_shift;
    const chip_state left = state_of_entry(victim);
    caused.dropped_dirty = left == chip_state::modified || left == chip_state::owned;
    remove_copies(caused.dropped, chip, cores_of_entry(victim));
  }
  to_front(set, set + chip_level.ways - 1,
           with_only_core(line << line_shift | static_cast<entry>(state), core_bit));
}

void cache_shard::forget(std::uint64_t line) {
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
