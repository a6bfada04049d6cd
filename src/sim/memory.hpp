// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/calendar.hpp"
#include "sim/divisor.hpp"
#include "sim/machine_config.hpp"

namespace numatch::sim {

/// The memory of one node: channels of banks with a row buffer each, and a data bus per channel.
class memory {
 public:
  explicit memory(const memory_config& config, unsigned line_bytes);

  struct service {
    std::uint64_t done = 0;   ///< when the burst ends
    std::uint64_t quiet = 0;  ///< cycles that it would have taken without queueing
  };
  /// A line is read or written; `line` counts within the node.
  service access(std::uint64_t line, std::uint64_t arrival, bool write);

  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }
  std::uint64_t row_hits() const { return rows_[hit]; }
  std::uint64_t rows_closed() const { return rows_[closed]; }
  std::uint64_t row_conflicts() const { return rows_[conflict]; }

 private:
  static constexpr std::uint64_t no_row = ~std::uint64_t{0};
  enum row_case : std::size_t { hit, closed, conflict, row_cases };
  struct bank {
    std::uint64_t open_row = no_row;
    calendar taken;
  };
  std::uint32_t row_cycles(bank& of, std::uint64_t row);

  memory_config config_;
  std::array<std::uint32_t, row_cases> cycles_;
  divisor channels_;
  divisor lines_per_row_;
  divisor banks_of_channel_;
  std::vector<bank> banks_;      ///< of channel 0, then 1, …
  std::vector<calendar> buses_;  ///< per channel
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::array<std::uint64_t, row_cases> rows_{};
};

}  // namespace numatch::sim
