// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine_config.hpp"
#include "sim/reference/lru_sets.hpp"

namespace numatch::sim::ref {

/// All caches of the machine: which line is where, and where it may be written. What the chips may
/// do with a line is the directory's business: a copy in a last level carries no permission here.
class caches {
 public:
  explicit caches(const machine_config& machine);

  unsigned last() const { return static_cast<unsigned>(levels_.size()) - 1; }
  unsigned chip_of(unsigned pu) const { return group(last(), pu); }

  bool has(unsigned level, unsigned pu, std::uint64_t line) { return of(level, pu).has(line); }
  bool writable(unsigned level, unsigned pu, std::uint64_t line);

  /// In the PU's caches above the last level.
  bool own_have(unsigned pu, std::uint64_t line);

  /// Enters the line into the PU's cache of the last level when it is not there.
  void enter_last(unsigned pu, std::uint64_t line);
  /// The PU's cache of `level` has the line (the last one may lack it where it is not inclusive):
  /// it is entered above, and used in all of them.
  void use(unsigned level, unsigned pu, std::uint64_t line);
  /// In the PU's caches from the first to `level`.
  void make_writable(unsigned level, unsigned pu, std::uint64_t line);
  /// Copies in caches of the PU's chip that are not the PU's own.
  void remove_from_neighbours(unsigned pu, std::uint64_t line);
  /// … become shared; true if one of them was writable.
  bool make_neighbours_shared(unsigned pu, std::uint64_t line);

  /// The chip loses the line altogether.
  void remove_from_chip(unsigned chip, std::uint64_t line);
  /// All writable copies of the chip become shared.
  void make_chip_shared(unsigned chip, std::uint64_t line);

  /// Lines that have left the chips since this was last asked, because there was no room for them.
  std::vector<std::uint64_t> take_left();

 private:
  struct copy {
    bool writable = false;
  };
  using cache = lru_sets<copy>;

  unsigned group(unsigned level, unsigned pu) const {
    return machine_.caches[level].shared.group[pu];
  }
  cache& of(unsigned level, unsigned pu) { return levels_[level][group(level, pu)]; }
  /// Enters what is not there; an inclusive level takes what it drops from the levels above.
  void enter(unsigned level, unsigned pu, std::uint64_t line);
  bool chip_has(unsigned chip, std::uint64_t line);

  const machine_config& machine_;
  std::vector<std::vector<cache>> levels_;  ///< [level][group]
  std::vector<std::uint64_t> left_;
};

}  // namespace numatch::sim::ref
