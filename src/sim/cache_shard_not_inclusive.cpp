// SPDX-License-Identifier: Apache-2.0
// Last levels that are not inclusive. A chip has a line while any of its caches has it, and its
// state is in a directory beside the tags of the data. What the last level drops stays above; what
// the caches above drop goes to the last level when no other cache of the chip has it
// (docs/simulation-model.md).
//
// The directory is as exact as copies of all tags. The other design, a snoop filter of a size of
// its own that takes lines from the caches when it is full, needs numbers that no machine
// description states, and is this one where it is large enough.
#include <bit>

#include "sim/cache_shard.hpp"

namespace numatch::sim {

/// The last level's part of a lookup; `stall` is what the levels above have added.
std::uint32_t cache_shard::use_directory(std::uint64_t line, unsigned pu, bool write,
                                         levels_present present, std::vector<level_count>& counts,
                                         std::uint32_t stall, reference& filled) {
  const std::size_t last = levels_.size() - 1;
  level& data = levels_[last];
  const unsigned chip = chip_of_pu_[pu];
  const unsigned bit = bit_of_pu_[pu];
  stall += data.latency;
  ++counts[last].accesses;
  filled.shared_level = true;
  entry* const set = set_of(data, line, chip);
  entry* const found = find(set, data.ways, line);
  if (found != nullptr) to_front(set, found, *found);
  const entry own = directory_->of(line)[chip];
  const chip_state state = state_of_entry(own);
  // Data that are neither here nor in the PU's own caches come from another cache of the chip.
  bool from_neighbour = state != chip_state::nothing && found == nullptr && present == 0;
  const bool enough = write ? state == chip_state::modified || state == chip_state::exclusive
                            : state != chip_state::nothing;
  if (!enough) {
    ++counts[last].misses;
    const chip_state becomes = ask_directory(line, chip, write);
    if (state != chip_state::nothing) remove_copies(line, chip, cores_of_entry(own), pu);
    directory_->of(line)[chip] = with_only_core(static_cast<entry>(becomes), bit);
    if (state == chip_state::nothing) enter_data(line, chip);
  } else if (write) {
    remove_copies(line, chip, cores_of_entry(own), pu);
    directory_->of(line)[chip] = with_only_core(static_cast<entry>(chip_state::modified), bit);
  } else {
    if (state == chip_state::modified && share_copies(line, chip, cores_of_entry(own), pu)) {
      from_neighbour = true;
    }
    directory_->of(line)[chip] = with_core(own, bit);
  }
  if (has_stops_) {
    if (enough) caused_ = note_hit(chip);
    note_stops(transactions_[caused_], line, pu, present);
  }
  if (from_neighbour) stall += levels_.front().latency;
  fill_above(last, line, pu, write, present);
  filled.cache_stall = stall;
  return caused_;
}

/// Brings the other chips into the state that the request leaves them in; what the asking chip
/// becomes.
chip_state cache_shard::ask_directory(std::uint64_t line, unsigned chip, bool write) {
  transaction made;
  const line_home home = homes_.find(line, chip);
  made.line = home.line;
  made.home = static_cast<std::uint16_t>(home.node);
  made.chip = static_cast<std::uint8_t>(chip);
  made.write = write;
  entry* const entries = directory_->of(line);
  const bool upgrade = state_of_entry(entries[chip]) != chip_state::nothing;
  if (upgrade) made.what = transaction::kind::upgrade;
  chip_state becomes = write ? chip_state::modified : chip_state::exclusive;
  for (unsigned other = 0; other < chips_; ++other) {
    entry& of = entries[other];
    const chip_state state = state_of_entry(of);
    if (other == chip || state == chip_state::nothing) continue;
    const bool owns = state != chip_state::shared;
    if (owns && !upgrade) {
      made.what = transaction::kind::forward;
      made.owner = static_cast<std::uint8_t>(other);
    } else if (write) {
      made.losers |= std::uint64_t{1} << other;
    }
    if (write) {
      remove_copies(line, other, cores_of_entry(of));
      level& data = levels_.back();
      entry* const set = set_of(data, line, other);
      entry* const found = find(set, data.ways, line);
      if (found != nullptr) remove_entry(set, data.ways, found);
      of = 0;
    } else {
      becomes = chip_state::shared;
      if (state == chip_state::modified) share_copies(line, other, cores_of_entry(of));
      if (owns) {
        of =
            with_state(of, state == chip_state::exclusive ? chip_state::shared : chip_state::owned);
      }
    }
  }
  caused_ = static_cast<std::uint32_t>(transactions_.size());
  transactions_.push_back(made);
  return becomes;
}

/// Whether a cache of the chip above the last level has the line.
bool cache_shard::copies_above(std::uint64_t line, unsigned chip) {
  const std::size_t above = levels_.size() - 1;
  const std::uint64_t cores = cores_of_entry(directory_->of(line)[chip]);
  for (std::uint64_t left = cores & bits_of_chip_[chip]; left != 0; left &= left - 1) {
    const std::uint32_t* const begin =
        cores_begin_.data() + chip * core_bits + std::countr_zero(left);
    for (std::uint32_t core = begin[0]; core < begin[1]; ++core) {
      for (std::size_t l = 0; l < above; ++l) {
        level& here = levels_[l];
        if (find(set_of(here, line, core_caches_[core * above + l]), here.ways, line) != nullptr) {
          return true;
        }
      }
    }
  }
  return false;
}

/// The last level takes a line that it does not have. What it drops leaves the chip, unless a cache
/// above has it.
void cache_shard::enter_data(std::uint64_t line, unsigned chip) {
  level& data = levels_.back();
  entry* const set = set_of(data, line, chip);
  const entry victim = set[data.ways - 1];
  to_front(set, set + data.ways - 1, line << line_shift);
  if (victim == empty) return;
  const std::uint64_t lost = victim >> line_shift;
  if (!copies_above(lost, chip)) leave_chip(lost, chip);
}

/// A cache above the last level has dropped the line.
void cache_shard::dropped_above(std::uint64_t line, unsigned chip) {
  level& data = levels_.back();
  if (find(set_of(data, line, chip), data.ways, line) != nullptr) return;
  if (!copies_above(line, chip)) enter_data(line, chip);
}

void cache_shard::leave_chip(std::uint64_t line, unsigned chip) {
  entry& had = directory_->of(line)[chip];
  transaction drop;
  drop.what = transaction::kind::drops;
  drop.chip = static_cast<std::uint8_t>(chip);
  if (caused_ == no_transaction) {
    caused_ = static_cast<std::uint32_t>(transactions_.size());
    transactions_.push_back(drop);
  } else if (transactions_[caused_].dropped_line != transaction::no_line) {
    ++transactions_[caused_].more_drops;
    transactions_.push_back(drop);
  }
  transaction& carrier =
      transactions_[caused_].more_drops == 0 ? transactions_[caused_] : transactions_.back();
  const line_home home = homes_.find(line, chip);
  carrier.dropped_line = home.line;
  carrier.dropped_home = static_cast<std::uint16_t>(home.node);
  if (has_stops_) carrier.dropped_bank = bank_of(line);
  carrier.dropped_dirty =
      state_of_entry(had) == chip_state::modified || state_of_entry(had) == chip_state::owned;
  had = 0;
}

void cache_shard::forget_in_directory(std::uint64_t line) {
  level& data = levels_.back();
  entry* const entries = directory_->of(line);
  for (unsigned chip = 0; chip < chips_; ++chip) {
    if (entries[chip] == 0) continue;
    remove_copies(line, chip, cores_of_entry(entries[chip]));
    entry* const set = set_of(data, line, chip);
    entry* const found = find(set, data.ways, line);
    if (found != nullptr) remove_entry(set, data.ways, found);
    entries[chip] = 0;
  }
}

}  // namespace numatch::sim
