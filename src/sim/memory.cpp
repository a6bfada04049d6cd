// SPDX-License-Identifier: Apache-2.0
#include "sim/memory.hpp"

namespace numatch::sim {

memory::memory(const memory_config& config, unsigned line_bytes)
    : config_(config),
      lines_per_row_(std::max(1u, config.row_bytes / line_bytes)),
      banks_(std::size_t{config.channels} * config.banks),
      buses_(config.channels) {}

std::uint32_t memory::row_cycles(bank& of, std::uint64_t row) {
  const std::uint64_t open = of.open_row;
  of.open_row = config_.open_rows ? row : no_row;
  if (open == row) {
    ++row_hits_;
    return config_.row_hit;
  }
  if (open == no_row) {
    ++rows_closed_;
    return config_.row_closed;
  }
  ++row_conflicts_;
  return config_.row_conflict;
}

memory::service memory::access(std::uint64_t line, std::uint64_t arrival, bool write) {
  ++(write ? writes_ : reads_);
  const std::uint64_t channel = line % config_.channels;
  const std::uint64_t rows = line / config_.channels / lines_per_row_;
  bank& used = banks_[channel * config_.banks + rows % config_.banks];
  const std::uint32_t cycles = row_cycles(used, rows / config_.banks);
  const std::uint64_t quiet = std::uint64_t{cycles} + config_.burst + config_.controller;
  if (!config_.queueing) return {arrival + quiet, quiet};
  const std::uint64_t served = used.taken.reserve(arrival, cycles) + cycles;
  return {buses_[channel].reserve(served, config_.burst) + config_.burst + config_.controller,
          quiet};
}

}  // namespace numatch::sim
