// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace numatch::compare {

/// What one run of a program is measured by, all of it better when it is less.
enum class figure : std::uint8_t {
  time,          ///< wall time
  cpu_time,      ///< processor time of the program and its children
  minor_faults,  ///< page faults that no disk was needed for
  major_faults,  ///< page faults that waited for a disk
  cache_misses,  ///< last-level cache misses per 1,000 instructions, user mode
  remote_loads,  ///< loads that other nodes served, per 1,000 instructions, user mode
  energy         ///< of the processors and, where counted, the memory of the whole machine
};
inline constexpr std::size_t figure_count = 7;

struct figure_words {
  std::string_view key;    ///< in JSON
  std::string_view title;  ///< with the unit
  std::string_view source;
};
figure_words words_for(figure f);

/// One run's figures; nullopt: this machine, or this user, cannot measure it.
class run_figures {
 public:
  const std::optional<double>& at(figure f) const { return values_[static_cast<std::size_t>(f)]; }
  void set(figure f, std::optional<double> value) { values_[static_cast<std::size_t>(f)] = value; }

 private:
  std::array<std::optional<double>, figure_count> values_;
};

}  // namespace numatch::compare
