// SPDX-License-Identifier: Apache-2.0
#include "sim/read_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

namespace numatch::sim {

namespace {

constexpr double usual_megatransfers = 1333;
constexpr std::string_view usual_timing = "9-9-9";
constexpr unsigned bytes_of_transfer = 8;

/// Clocks; of DDR, two transfers long.
struct dram_timing {
  unsigned cas, activate, precharge;
};

std::optional<dram_timing> parse(const std::string& text) {
  std::array<unsigned, 3> clocks{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const auto [rest, problem] = std::from_chars(at, end, clocks[i]);
    if (problem != std::errc() || clocks[i] == 0 || clocks[i] > 1000) return std::nullopt;
    const bool is_last = i + 1 == clocks.size();
    if (is_last ? rest != end : rest == end || *rest != '-') return std::nullopt;
    at = rest + 1;
  }
  return dram_timing{clocks[0], clocks[1], clocks[2]};
}

/// Both are limits of what a busy bank or bus can be (sim/calendar.hpp), and beyond any machine.
constexpr unsigned slowest_row = 1024;
constexpr unsigned slowest_burst = 1024;
constexpr std::uint64_t largest_row = 1U << 20U;

}  // namespace

memory_config read_memory(fact_reader& facts, unsigned line_bytes) {
  memory_config memory;
  memory.channels = facts.count("memory.channels", 1);
  const double banks = double{1} * facts.count("memory.banks", 8) * facts.count("memory.ranks", 2);
  if (memory.channels > 64) facts.complain("memory.channels is more than 64");
  if (banks > 4096) facts.complain("memory.banks x memory.ranks is more than 4096");
  memory.banks = static_cast<unsigned>(std::min(banks, 4096.0));
  const std::uint64_t row_bytes = facts.bytes("memory.row", 8192);
  memory.row_bytes = static_cast<unsigned>(std::min<std::uint64_t>(row_bytes, largest_row));
  if (!std::has_single_bit(row_bytes) || row_bytes < line_bytes || row_bytes > largest_row) {
    facts.complain(
        fmt::format("memory.row of {} B is not a power of two from a line to 1 MiB", row_bytes));
  }
  const double cycles_of_transfer =
      facts.hertz() / (facts.megatransfers("memory.transfers", usual_megatransfers) * 1e6);
  const std::string text = facts.word("memory.timing", usual_timing);
  const std::optional<dram_timing> timing = parse(text);
  if (!timing) {
    facts.complain(fmt::format("memory.timing '{}' is not CL-tRCD-tRP in clocks", text),
                   "write it as '9-9-9'");
    return memory;
  }
  const double clock = 2 * cycles_of_transfer;
  const double hit = timing->cas * clock;
  const double closed = hit + timing->activate * clock;
  const double conflict = closed + timing->precharge * clock;
  const double burst =
      (line_bytes + bytes_of_transfer - 1) / bytes_of_transfer * cycles_of_transfer;
  memory.row_hit = std::max(1U, facts.whole("memory.timing", hit));
  memory.row_closed = std::max(1U, facts.whole("memory.timing", closed));
  memory.row_conflict = std::max(1U, facts.whole("memory.timing", conflict));
  memory.burst = std::max(1U, facts.whole("memory.transfers", burst));
  if (memory.row_conflict > slowest_row || memory.burst > slowest_burst) {
    facts.complain(
        fmt::format("memory.timing and memory.transfers make {} cycles for a row and {} "
                    "for a line, at most {} can be simulated",
                    memory.row_conflict, memory.burst, slowest_row));
  }
  memory.open_rows = facts.yes("memory.open_rows", true);
  memory.queueing = facts.yes("memory.queueing", true);
  memory.drawn_frames = facts.word("memory.frames", "in order") == "drawn";
  return memory;
}

}  // namespace numatch::sim
