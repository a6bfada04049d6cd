// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/machine_config.hpp"
#include "sim/reference/calendar.hpp"
#include "sim/reference/moment.hpp"

namespace numatch::sim::ref {

/// The memory of one node: banks with an open row each, and a bus per channel.
class memory {
 public:
  memory(const memory_config& config, unsigned line_bytes)
      : config_(config),
        lines_per_row_(config.row_bytes / line_bytes),
        channels_(config.channels) {}

  /// Reads or writes a line, by its number within the node; returns when its burst has ended.
  moment access(std::uint64_t line_in_node, moment at);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t closed() const { return closed_; }
  std::uint64_t conflicts() const { return conflicts_; }

 private:
  struct bank {
    std::optional<std::uint64_t> open_row;
    calendar busy;
  };
  struct channel {
    std::map<std::uint64_t, bank> banks;
    calendar bus;
  };
  unsigned latency(bank& used, std::uint64_t row);

  const memory_config& config_;
  std::uint64_t lines_per_row_;
  std::vector<channel> channels_;
  std::uint64_t hits_ = 0;
  std::uint64_t closed_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace numatch::sim::ref
