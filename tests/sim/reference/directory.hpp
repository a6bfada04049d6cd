// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace numatch::sim::ref {

enum class chip_state : std::uint8_t { invalid, shared, exclusive, owned, modified };

/// What every chip has of every line, and what a request does to it: the table of
/// docs/simulation-model.md, "Between chips".
class directory {
 public:
  explicit directory(unsigned chips) : chips_(chips) {}

  chip_state of(std::uint64_t line, unsigned chip) const;
  void set(std::uint64_t line, unsigned chip, chip_state state) { states_of(line)[chip] = state; }

  struct answer {
    bool from_memory = false;
    std::optional<unsigned> from_chip;      ///< neither of both: only the permission was missing
    std::vector<unsigned> lost;             ///< chips that had the line and have nothing now
    std::optional<unsigned> no_longer_may;  ///< the chip that loses the permission to write
  };
  answer read(std::uint64_t line, unsigned requester);
  answer write(std::uint64_t line, unsigned requester);

  /// line -> state of each chip.
  const std::map<std::uint64_t, std::vector<chip_state>>& states() const { return states_; }

 private:
  std::vector<chip_state>& states_of(std::uint64_t line);
  /// The chip besides `requester` that has the line as one of `kinds`.
  std::optional<unsigned> other(std::uint64_t line, unsigned requester,
                                std::initializer_list<chip_state> kinds);

  unsigned chips_;
  std::map<std::uint64_t, std::vector<chip_state>> states_;
};

}  // namespace numatch::sim::ref
