// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/system_tree.hpp"

namespace numatch::compare {

/// The processors' own energy counters (RAPL through /sys/class/powercap): packages, and memory
/// where it is counted apart. They count the whole machine; Linux lets only root read them.
class energy_meter {
 public:
  explicit energy_meter(live::system_tree tree);

  /// Why it cannot measure here, one clause; empty: it can.
  const std::string& why_not() const { return why_not_; }
  void begin();
  /// Joules since begin(); a counter may have started anew once. nullopt: not measured.
  std::optional<double> end() const;

 private:
  struct zone {
    std::string folder;
    std::uint64_t range = 0;  ///< microjoules after which the counter starts anew
    std::uint64_t begin = 0;
  };
  std::optional<std::uint64_t> read(const zone& z) const;

  live::system_tree tree_;
  std::vector<zone> zones_;
  std::string why_not_;
  bool began_ = false;
};

}  // namespace numatch::compare
