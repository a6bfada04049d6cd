// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/caches.hpp"

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

std::optional<std::uint64_t> caches::enter(unsigned level, unsigned pu, std::uint64_t line) {
  const std::optional<std::uint64_t> dropped = of(level, pu).enter(line, {});
  if (!dropped || !(machine_.caches[level].inclusive || level == last())) return dropped;
  for (unsigned above = 0; above < level; ++above) {
    for (unsigned other = 0; other < machine_.pus(); ++other) {
      if (group(level, other) == group(level, pu)) of(above, other).remove(*dropped);
    }
  }
  return dropped;
}

std::optional<std::uint64_t> caches::enter_last(unsigned pu, std::uint64_t line) {
  if (has(last(), pu, line)) return std::nullopt;
  return enter(last(), pu, line);
}

void caches::use(unsigned level, unsigned pu, std::uint64_t line) {
  of(level, pu).use(line);
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
