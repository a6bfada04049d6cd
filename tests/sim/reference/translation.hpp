// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine_config.hpp"
#include "sim/reference/lru_sets.hpp"

namespace numatch::sim::ref {

/// All TLBs of the machine.
class tlbs {
 public:
  explicit tlbs(const machine_config& machine);

  struct answer {
    bool missed_first = false;
    bool walks = false;
    std::uint64_t stall = 0;
  };
  answer look_up(unsigned pu, std::uint64_t page);

 private:
  struct nothing {};
  using tlb = lru_sets<nothing>;
  tlb& of(std::size_t level, unsigned pu) {
    return levels_[level][machine_.tlbs[level].shared.group[pu]];
  }
  const machine_config& machine_;
  std::vector<std::vector<tlb>> levels_;  ///< [level][group]
};

/// Which page is where.
class page_table {
 public:
  enum class placing { first_touch, interleave };
  /// `drawn`: frames are given out in the order that seed 1 draws.
  page_table(unsigned nodes, placing how, bool drawn) : how_(how), drawn_(drawn), frames_(nodes) {}

  struct place {
    unsigned node = 0;
    std::uint64_t frame = 0;
  };
  std::optional<place> find(std::uint64_t page) const;
  /// For a page that is not mapped.
  place map(std::uint64_t page, unsigned touching_node);
  std::uint64_t mapped() const { return places_.size(); }

 private:
  placing how_;
  bool drawn_;
  std::vector<std::uint64_t> frames_;  ///< [node] = given out
  std::map<std::uint64_t, place> places_;
};

}  // namespace numatch::sim::ref
