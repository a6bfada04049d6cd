// SPDX-License-Identifier: Apache-2.0
#include "sim/read_tlbs.hpp"

#include <fmt/format.h>

#include <bit>

#include "sim/read_caches.hpp"

namespace numatch::sim {

namespace {

constexpr unsigned most_entries = 65536;
constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

}  // namespace

std::vector<tlb_config> read_tlbs(fact_reader& facts, const topology& machine) {
  std::vector<tlb_config> tlbs;
  for (unsigned level = 1; level <= 2; ++level) {
    const std::string prefix = fmt::format("tlb.l{}.", level);
    if (level == 2 && !facts.has_section(prefix)) break;
    tlb_config tlb;
    tlb.entries = facts.count(prefix + "entries", level == 1 ? 64 : 512);
    tlb.ways = facts.count(prefix + "ways", 4);
    tlb.latency = facts.cycles(prefix + "latency", level == 1 ? 0U : 7U);
    if (tlb.entries > most_entries) {
      facts.complain(fmt::format("{}entries is more than {}", prefix, most_entries));
    }
    if (tlb.entries % tlb.ways != 0) {
      facts.complain(fmt::format("{}entries: {} is not a whole number of sets of {} ways", prefix,
                                 tlb.entries, tlb.ways));
    }
    if (facts.word(prefix + "shared_by", "core") == "core") {
      tlb.shared = core_groups(machine);
    } else {
      for (unsigned pu = 0; pu < machine.pu_count(); ++pu) tlb.shared.group.push_back(pu);
      tlb.shared.count = static_cast<unsigned>(machine.pu_count());
    }
    tlbs.push_back(std::move(tlb));
  }
  return tlbs;
}

std::uint64_t read_page_bytes(fact_reader& facts, unsigned line_bytes) {
  const std::uint64_t page = facts.bytes("page.size", 4 * kib);
  if (page < kib || page > 2 * mib || !std::has_single_bit(page)) {
    facts.complain(
        fmt::format("page.size of {} B is not a power of two from 1 KiB to 2 MiB", page));
  }
  if (page < line_bytes) facts.complain("page.size is smaller than a line");
  return page;
}

}  // namespace numatch::sim
