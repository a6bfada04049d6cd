// SPDX-License-Identifier: Apache-2.0
#include "sim/read_memory.hpp"

#include <fmt/format.h>

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

/// Cycles that memory.local_latency has beyond what the model adds up on the way (`model`).
double way_to_controller(fact_reader& facts, double model) {
  if (!facts.has("memory.local_latency")) return 0;
  const double all = facts.cycles_of("memory.local_latency");
  if (all >= model) return all - model;
  facts.complain(
      fmt::format("memory.local_latency of {:.0f} cycles is less than the {:.0f} of the caches, a "
                  "closed row and a line's transfer",
                  all, model),
      "correct it, the caches' latencies or memory.timing");
  return 0;
}

}  // namespace

memory_config read_memory(fact_reader& facts, unsigned line_bytes, unsigned lookups) {
  memory_config memory;
  memory.channels = facts.count("memory.channels", 1);
  memory.banks = facts.count("memory.banks", 8) * facts.count("memory.ranks", 2);
  memory.row_bytes = static_cast<unsigned>(facts.bytes("memory.row", 8192));
  if (memory.channels > 64) facts.complain("memory.channels is more than 64");
  if (memory.banks > 4096) facts.complain("memory.banks x memory.ranks is more than 4096");
  if (!std::has_single_bit(memory.row_bytes) || memory.row_bytes < line_bytes) {
    facts.complain(fmt::format("memory.row of {} B is not a power of two of at least a line",
                               memory.row_bytes));
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
  const double way = way_to_controller(facts, lookups + closed + burst);
  memory.row_hit = facts.whole("memory.timing", hit + way);
  memory.row_closed = facts.whole("memory.timing", closed + way);
  memory.row_conflict = facts.whole("memory.timing", conflict + way);
  memory.burst = facts.whole("memory.transfers", burst);
  memory.open_rows = facts.yes("memory.open_rows", true);
  memory.queueing = facts.yes("memory.queueing", true);
  return memory;
}

}  // namespace numatch::sim
