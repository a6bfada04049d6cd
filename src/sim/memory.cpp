// SPDX-License-Identifier: Apache-2.0
#include "sim/memory.hpp"

namespace numatch::sim {

memory::memory(const memory_config& config, unsigned line_bytes)
    : config_(config),
      cycles_{config.row_hit, config.row_closed, config.row_conflict},
      channels_(config.channels),
      lines_per_row_(std::max(1u, config.row_bytes / line_bytes)),
      banks_of_channel_(config.banks),
      banks_(std::size_t{config.channels} * config.banks),
      buses_(config.channels) {}

std::uint32_t memory::row_cycles(bank& of, std::uint64_t row) {
  const std::uint64_t open = of.open_row;
  of.open_row = config_.open_rows ? row : no_row;
  // Which case it is nobody can foresee, so these are no branches.
  const std::size_t other = open == no_row ? closed : conflict;
  const std::size_t which = open == row ? hit : other;
  ++rows_[which];
  return cycles_[which];
}

memory::service memory::access(std::uint64_t line, std::uint64_t arrival, bool write) {
  ++(write ? writes_ : reads_);
  const auto [of_channel, channel] = channels_.divide(line);
  const auto [row, used_bank] =
      banks_of_channel_.divide(lines_per_row_.divide(of_channel).quotient);
  bank& used = banks_[channel * config_.banks + used_bank];
  const std::uint32_t cycles = row_cycles(used, row);
  const std::uint64_t quiet = std::uint64_t{cycles} + config_.burst + config_.controller;
  if (!config_.queueing) return {arrival + quiet, quiet};
  const std::uint64_t served = used.taken.reserve(arrival, cycles) + cycles;
  return {buses_[channel].reserve(served, config_.burst) + config_.burst + config_.controller,
          quiet};
}

}  // namespace numatch::sim
