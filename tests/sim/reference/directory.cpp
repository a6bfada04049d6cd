// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/directory.hpp"

#include <algorithm>

namespace numatch::sim::ref {

std::vector<chip_state>& directory::states_of(std::uint64_t line) {
  return states_.try_emplace(line, chips_, chip_state::invalid).first->second;
}

chip_state directory::of(std::uint64_t line, unsigned chip) const {
  const auto found = states_.find(line);
  return found == states_.end() ? chip_state::invalid : found->second[chip];
}

std::optional<unsigned> directory::other(std::uint64_t line, unsigned requester,
                                         std::initializer_list<chip_state> kinds) {
  for (unsigned chip = 0; chip < chips_; ++chip) {
    if (chip == requester) continue;
    if (std::find(kinds.begin(), kinds.end(), of(line, chip)) != kinds.end()) return chip;
  }
  return std::nullopt;
}

directory::answer directory::read(std::uint64_t line, unsigned requester) {
  answer given;
  if (const auto dirty = other(line, requester, {chip_state::modified, chip_state::owned})) {
    given.from_chip = dirty;
    given.no_longer_may = dirty;
    set(line, *dirty, chip_state::owned);
    set(line, requester, chip_state::shared);
  } else if (const auto clean = other(line, requester, {chip_state::exclusive})) {
    given.from_chip = clean;
    given.no_longer_may = clean;
    set(line, *clean, chip_state::shared);
    set(line, requester, chip_state::shared);
  } else if (other(line, requester, {chip_state::shared})) {
    given.from_memory = true;
    set(line, requester, chip_state::shared);
  } else {
    given.from_memory = true;
    set(line, requester, chip_state::exclusive);
  }
  return given;
}

directory::answer directory::write(std::uint64_t line, unsigned requester) {
  answer given;
  if (of(line, requester) == chip_state::invalid) {
    given.from_chip =
        other(line, requester, {chip_state::modified, chip_state::owned, chip_state::exclusive});
    given.from_memory = !given.from_chip;
  }
  for (unsigned chip = 0; chip < chips_; ++chip) {
    if (chip == requester || of(line, chip) == chip_state::invalid) continue;
    given.lost.push_back(chip);
    set(line, chip, chip_state::invalid);
  }
  set(line, requester, chip_state::modified);
  return given;
}

}  // namespace numatch::sim::ref
