// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/memory.hpp"

namespace numatch::sim::ref {

unsigned memory::latency(bank& used, std::uint64_t row) {
  const std::optional<std::uint64_t> before = used.open_row;
  used.open_row = config_.open_rows ? std::optional<std::uint64_t>(row) : std::nullopt;
  if (!before) {
    ++closed_;
    return config_.row_closed;
  }
  if (*before == row) {
    ++hits_;
    return config_.row_hit;
  }
  ++conflicts_;
  return config_.row_conflict;
}

moment memory::access(std::uint64_t line_in_node, moment at) {
  channel& through = channels_[line_in_node % config_.channels];
  const std::uint64_t rest = line_in_node / config_.channels;
  bank& used = through.banks[rest / lines_per_row_ % config_.banks];
  const unsigned serves = latency(used, rest / lines_per_row_ / config_.banks);

  moment now = at;
  if (config_.queueing) now.cycle = used.busy.reserve(now.cycle, serves);
  now = now.plus(serves);
  if (config_.queueing) now.cycle = through.bus.reserve(now.cycle, config_.burst);
  return now.plus(config_.burst).plus(config_.controller);
}

}  // namespace numatch::sim::ref
