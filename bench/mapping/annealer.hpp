// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/sharing_graph.hpp"

namespace numatch::bench {

/// Random numbers that cost two nanoseconds (splitmix64, Steele et al. 2014).
class quick_draw {
 public:
  explicit quick_draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  /// 0 .. n - 1; n below 2^32.
  std::uint32_t below(std::size_t n) {
    return static_cast<std::uint32_t>(((next() >> 32U) * n) >> 32U);
  }
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// Distance of two PUs: from the position of the first difference of their ways down the tree where
/// that says it all, else from the table.
class pu_gap {
 public:
  pu_gap(const topology& machine, const distance_table& distances);
  double operator()(std::uint32_t a, std::uint32_t b) const {
    return tree_ ? by_width_[static_cast<std::size_t>(std::bit_width(code_[a] ^ code_[b]))]
                 : cells_[a * pus_ + b];
  }
  bool is_tree() const { return tree_; }

 private:
  bool tree_ = false;
  std::size_t pus_ = 0;
  std::vector<std::uint32_t> code_;
  std::array<double, 33> by_width_{};
  std::vector<double> cells_;
};

/// A placement that changes by exchanges. Every PU has ceil(threads / PUs) slots; slots beyond the
/// threads are free places, which exchange like threads.
class annealer {
 public:
  annealer(const mapping_request& request, std::uint64_t seed);

  void place(const thread_mapping& mapping);
  void place_at_random();
  /// Mean change of the cost, either way, over random exchanges: the scale of temperatures.
  double usual_change();
  /// Exchanges with the temperature falling from `hot` to `cold`; keeps the best placement seen.
  void anneal(double hot, double cold, std::uint64_t proposals);
  /// Takes every exchange that helps until none of all pairs does.
  void descend();
  thread_mapping mapping() const;
  double cost() const;

 private:
  static constexpr std::uint32_t nobody = ~0U;
  std::uint32_t pu_of_slot(std::uint32_t slot) const { return slot / room_; }
  double change_of_move(std::uint32_t thread, std::uint32_t from, std::uint32_t to,
                        std::uint32_t other) const;
  double change(std::uint32_t slot, std::uint32_t other) const;
  void exchange(std::uint32_t slot, std::uint32_t other);
  std::uint32_t partner(std::uint32_t slot);
  void try_exchange(double temperature);
  void try_blocks(double temperature);
  void try_pair(double temperature);
  bool accept(double delta, double temperature);
  void fill_sums();
  void move_sums(std::uint32_t thread, std::uint32_t from, std::uint32_t to);

  mapping_request request_;
  sharing_graph graph_;
  pu_gap gap_;
  quick_draw draw_;
  std::size_t threads_;
  std::size_t pus_;
  std::uint32_t room_;
  std::vector<std::uint32_t> thread_at_;  ///< per slot
  std::vector<std::uint32_t> slot_of_;    ///< per thread
  std::vector<std::uint32_t> pu_of_;      ///< per thread
  std::vector<std::uint32_t> blocks_;     ///< slots of the parts of the machine, level by level
  double cost_ = 0;                       ///< relative to the last place()

  // For dense matrices on trees: sums_[group × threads + t] = sharing of t with the group × what is
  // saved by being in it, for the groups of all levels.
  bool has_sums_ = false;
  std::vector<double> sums_;
  std::vector<double> saved_;               ///< per level
  std::vector<std::uint32_t> first_group_;  ///< per level
  std::vector<std::uint32_t> pus_below_;    ///< per level
};

}  // namespace numatch::bench
