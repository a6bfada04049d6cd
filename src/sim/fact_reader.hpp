// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topology/topology.hpp"

namespace numatch::sim {

/// The facts of a machine description in the units of the simulated machine; what is not stated is
/// the fallback. The first error is kept until somebody asks: values that were read after it mean
/// nothing. Kinds, units and words are right already, whoever made the facts checked them.
class fact_reader {
 public:
  /// `machine` must live longer.
  explicit fact_reader(const topology& machine);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool has_section(std::string_view prefix) const;
  double hertz() const { return hertz_; }

  std::string word(std::string_view key, std::string_view fallback) const;
  bool yes(std::string_view key, bool fallback) const;
  unsigned count(std::string_view key, unsigned fallback) const;
  std::uint64_t bytes(std::string_view key, std::uint64_t fallback) const;
  /// Rounded to the nearest whole cycle.
  template <class Whole = unsigned>
  Whole cycles(std::string_view key, Whole fallback) {
    return has(key) ? whole<Whole>(key, cycles_of(key)) : fallback;
  }
  /// The same with the fraction.
  double cycles_of(std::string_view key) const;
  /// Transfers (MT/s) need the bytes of one.
  double bytes_per_cycle(std::string_view key, std::uint64_t bytes_of_transfer, double fallback);
  double megatransfers(std::string_view key, double fallback) const;
  double nanojoule(std::string_view key, double fallback) const;  ///< also per byte
  double watt(std::string_view key, double fallback) const;

  /// A number of cycles as a whole number.
  template <class Whole = unsigned>
  Whole whole(std::string_view key, double cycles) {
    constexpr double most = sizeof(Whole) > 4 ? 1e15 : 1e8;  // sums of them stay in range
    if (cycles >= 0 && cycles <= most) return static_cast<Whole>(cycles + 0.5);
    complain(fmt::format("{} of {:.4g} cycles is more than {:.4g}", key, cycles, most));
    return 0;
  }

  void complain(std::string what, std::string hint = {});
  const std::optional<error>& problem() const { return problem_; }

 private:
  const topology::fact* find(std::string_view key) const;
  double number(const topology::fact& fact) const;

  const topology& machine_;
  double hertz_;
  std::optional<error> problem_;
};

}  // namespace numatch::sim
