// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/caches.hpp"

#include <utility>

namespace numatch::sim::ref {

caches::caches(const machine_config& machine) : machine_(machine) {
  for (const cache_config& level : machine.caches) {
    levels_.emplace_back(level.shared.count, cache(level.sets(machine.line_bytes), level.ways));
  }
}

bool caches::writable(unsigned level, unsigned pu, std::uint64_t line) {
  const copy* found = of(level, pu).find(line);
  return found != nullptr && found->writable;
}

void caches::enter(unsigned level, unsigned pu, std::uint64_t line) {
  const std::optional<std::uint64_t> dropped = of(level, pu).enter(line, {});
  if (!dropped) return;
  if (machine_.caches[level].inclusive) {
    for (unsigned above = 0; above < level; ++above) {
      for (unsigned other = 0; other < machine_.pus(); ++other) {
        if (group(level, other) == group(level, pu)) of(above, other).remove(*dropped);
      }
    }
  }
  if (chip_has(chip_of(pu), *dropped)) return;
  // The last cache of the chip that had it: the last level takes it, or it leaves the chip.
  if (level == last() || machine_.caches[last()].inclusive) {
    left_.push_back(*dropped);
  } else {
    enter(last(), pu, *dropped);
  }
}

bool caches::chip_has(unsigned chip, std::uint64_t line) {
  for (unsigned level = 0; level <= last(); ++level) {
    for (unsigned pu = 0; pu < machine_.pus(); ++pu) {
      if (chip_of(pu) == chip && has(level, pu, line)) return true;
    }
  }
  return false;
}

std::vector<std::uint64_t> caches::take_left() {
  return std::exchange(left_, {});
}

bool caches::own_have(unsigned pu, std::uint64_t line) {
  for (unsigned level = 0; level < last(); ++level) {
    if (has(level, pu, line)) return true;
  }
  return false;
}

void caches::enter_last(unsigned pu, std::uint64_t line) {
  if (!has(last(), pu, line)) enter(last(), pu, line);
}

void caches::use(unsigned level, unsigned pu, std::uint64_t line) {
  if (has(level, pu, line)) of(level, pu).use(line);
  for (unsigned above = level; above-- > 0;) {
    if (has(above, pu, line)) {
      of(above, pu).use(line);
    } else {
      enter(above, pu, line);
    }
  }
}

void caches::make_writable(unsigned level, unsigned pu, std::uint64_t line) {
  for (unsigned l = 0; l <= level && l < last(); ++l) of(l, pu).find(line)->writable = true;
}

void caches::remove_from_neighbours(unsigned pu, std::uint64_t line) {
  for (unsigned level = 0; level < last(); ++level) {
    for (unsigned other = 0; other < machine_.pus(); ++other) {
      if (chip_of(other) == chip_of(pu) && group(level, other) != group(level, pu)) {
        of(level, other).remove(line);
      }
    }
  }
}

bool caches::make_neighbours_shared(unsigned pu, std::uint64_t line) {
  bool one_was_writable = false;
  for (unsigned level = 0; level < last(); ++level) {
    for (unsigned other = 0; other < machine_.pus(); ++other) {
      if (chip_of(other) != chip_of(pu) || group(level, other) == group(level, pu)) continue;
      if (!writable(level, other, line)) continue;
      of(level, other).find(line)->writable = false;
      one_was_writable = true;
    }
  }
  return one_was_writable;
}

void caches::remove_from_chip(unsigned chip, std::uint64_t line) {
  for (unsigned level = 0; level <= last(); ++level) {
    for (unsigned pu = 0; pu < machine_.pus(); ++pu) {
      if (chip_of(pu) == chip) of(level, pu).remove(line);
    }
  }
}

void caches::make_chip_shared(unsigned chip, std::uint64_t line) {
  for (unsigned level = 0; level < last(); ++level) {
    for (unsigned pu = 0; pu < machine_.pus(); ++pu) {
      if (chip_of(pu) == chip && writable(level, pu, line)) {
        of(level, pu).find(line)->writable = false;
      }
    }
  }
}

}  // namespace numatch::sim::ref
