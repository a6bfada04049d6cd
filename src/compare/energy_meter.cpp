// SPDX-License-Identifier: Apache-2.0
#include "compare/energy_meter.hpp"

#include <algorithm>

namespace numatch::compare {

energy_meter::energy_meter(live::system_tree tree) : tree_(std::move(tree)) {
  const std::string zones = "/sys/class/powercap";
  for (const std::string& name : tree_.names_in(zones)) {
    // intel-rapl-mmio has the same packages again.
    if (!name.starts_with("intel-rapl:")) continue;
    zone z;
    z.folder = zones + "/" + name;
    // "core" and "uncore" are parts of a package, "psys" holds the packages.
    const std::string what = tree_.text(z.folder + "/name").value_or("");
    if (!what.starts_with("package") && what != "dram") continue;
    z.range = tree_.number<std::uint64_t>(z.folder + "/max_energy_range_uj").value_or(0);
    zones_.push_back(z);
  }
  if (zones_.empty()) {
    why_not_ = "this machine has no RAPL counters";
  } else if (!std::all_of(zones_.begin(), zones_.end(),
                          [this](const zone& z) { return read(z).has_value(); })) {
    why_not_ = "only root may read the RAPL counters";
  }
}

std::optional<std::uint64_t> energy_meter::read(const zone& z) const {
  return tree_.number<std::uint64_t>(z.folder + "/energy_uj");
}

void energy_meter::begin() {
  began_ = why_not_.empty();
  for (zone& z : zones_) {
    const std::optional<std::uint64_t> now = read(z);
    if (now) {
      z.begin = *now;
    } else {
      began_ = false;
    }
  }
}

std::optional<double> energy_meter::end() const {
  if (!began_) return std::nullopt;
  double joules = 0;
  for (const zone& z : zones_) {
    const std::optional<std::uint64_t> now = read(z);
    if (!now) return std::nullopt;
    const std::uint64_t used = *now >= z.begin ? *now - z.begin : *now + z.range - z.begin;
    joules += static_cast<double>(used) / 1e6;
  }
  return joules;
}

}  // namespace numatch::compare
