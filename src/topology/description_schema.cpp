// SPDX-License-Identifier: Apache-2.0
#include "topology/description_schema.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/suggest.hpp"

namespace numatch {

namespace {

using enum fact_kind;
constexpr std::array<std::string_view, 4> sizes{"B", "KiB", "MiB", "GiB"};
constexpr std::array<std::string_view, 4> times{"cycles", "ns", "us", "ms"};
constexpr std::array<std::string_view, 1> bytes{"B"};
constexpr std::array<std::string_view, 3> rates{"B/cycle", "GB/s", "MT/s"};
constexpr std::array<std::string_view, 2> chip_rates{"B/cycle", "GB/s"};
constexpr std::array<std::string_view, 1> transfers{"MT/s"};
constexpr std::array<std::string_view, 2> frequencies{"MHz", "GHz"};
constexpr std::array<std::string_view, 1> lengths{"nm"};
constexpr std::array<std::string_view, 1> slit{"SLIT"};
constexpr std::array<std::string_view, 2> energies{"nJ", "pJ"};
constexpr std::array<std::string_view, 2> link_energies{"pJ/bit", "nJ/B"};
constexpr std::array<std::string_view, 2> powers{"W", "mW"};

constexpr std::array<std::string_view, 2> yes_or_no{"yes", "no"};
constexpr std::array<std::string_view, 2> frame_orders{"in order", "drawn"};
constexpr std::array<std::string_view, 2> tlb_owners{"core", "pu"};
constexpr std::array<std::string_view, 1> protocols{"directory MOESI"};
constexpr std::array<std::string_view, 7> shapes{
    "ring", "bidirectional ring", "mesh", "full", "point to point", "all to all", "matrix"};
constexpr std::span<const std::string_view> chip_shapes(shapes.data(), shapes.size() - 1);
constexpr std::array<std::string_view, 2> chip_models{"one hop", "stops"};

constexpr known_fact facts[] = {
    {"tree.hwloc", word, {}},
    {"processor.model", word, {}},
    {"processor.frequency", quantity, frequencies},
    {"processor.process", quantity, lengths},
    {"core.access_stall", quantity, times, {}, true},
    {"core.overlap", count, {}},
    {"core.overlap_window", count, {}, {}, true},
    {"cache.l1.size", quantity, sizes},
    {"cache.l1.ways", count, {}},
    {"cache.l1.banks", count, {}},
    {"cache.l1.line", quantity, sizes},
    {"cache.l1.latency", quantity, times, {}, true},
    {"cache.l1.inclusive", word, {}, yes_or_no},
    {"cache.l2.size", quantity, sizes},
    {"cache.l2.ways", count, {}},
    {"cache.l2.banks", count, {}},
    {"cache.l2.busy", quantity, times, {}, true},
    {"cache.l2.line", quantity, sizes},
    {"cache.l2.latency", quantity, times, {}, true},
    {"cache.l2.inclusive", word, {}, yes_or_no},
    {"cache.l3.size", quantity, sizes},
    {"cache.l3.ways", count, {}},
    {"cache.l3.banks", count, {}},
    {"cache.l3.busy", quantity, times, {}, true},
    {"cache.l3.line", quantity, sizes},
    {"cache.l3.latency", quantity, times, {}, true},
    {"cache.l3.inclusive", word, {}, yes_or_no},
    {"tlb.l1.entries", count, {}},
    {"tlb.l1.ways", count, {}},
    {"tlb.l1.latency", quantity, times, {}, true},
    {"tlb.l1.shared_by", word, {}, tlb_owners},
    {"tlb.l2.entries", count, {}},
    {"tlb.l2.ways", count, {}},
    {"tlb.l2.latency", quantity, times, {}, true},
    {"tlb.l2.shared_by", word, {}, tlb_owners},
    {"tlb.walk", quantity, times, {}, true},
    {"page.size", quantity, sizes},
    {"coherence.protocol", word, {}, protocols},
    {"link.control", quantity, bytes},
    {"link.data", quantity, bytes},
    {"link.queueing", word, {}, yes_or_no},
    {"link.intra.model", word, {}, chip_models},
    {"link.intra.topology", word, {}, chip_shapes},
    {"link.intra.dimensions", word, {}},
    {"link.intra.latency", quantity, times, {}, true},
    {"link.intra.bandwidth", quantity, chip_rates},
    {"link.inter.topology", word, {}, shapes},
    {"link.inter.dimensions", word, {}},
    {"link.inter.latency", quantity, times, {}, true},
    {"link.inter.bandwidth", quantity, rates},
    {"link.inter.width", quantity, bytes},
    {"memory.size", quantity, sizes},
    {"memory.type", word, {}},
    {"memory.timing", word, {}},
    {"memory.transfers", quantity, transfers},
    {"memory.channels", count, {}},
    {"memory.ranks", count, {}},
    {"memory.banks", count, {}},
    {"memory.row", quantity, sizes},
    {"memory.open_rows", word, {}, yes_or_no},
    {"memory.queueing", word, {}, yes_or_no},
    {"memory.frames", word, {}, frame_orders},
    {"memory.local_latency", quantity, times},
    {"memory.remote_latency", quantity, times},
    {"memory.local_bandwidth", quantity, rates},
    {"memory.remote_bandwidth", quantity, rates},
    {"os.page_fault", quantity, times, {}, true},
    {"os.induced_fault", quantity, times, {}, true},
    {"os.page_move", quantity, times, {}, true},
    {"os.shootdown", quantity, times, {}, true},
    {"os.thread_move", quantity, times, {}, true},
    {"os.context_switch", quantity, times, {}, true},
    {"os.time_slice", quantity, times},
    {"os.map_threads", quantity, times, {}, true},
    {"os.scan_page", quantity, times, {}, true},
    {"os.take_sample", quantity, times, {}, true},
    {"energy.core.instruction", quantity, energies, {}, true},
    {"energy.core.static", quantity, powers, {}, true},
    {"energy.cache.l1.access", quantity, energies, {}, true},
    {"energy.cache.l1.static", quantity, powers, {}, true},
    {"energy.cache.l2.access", quantity, energies, {}, true},
    {"energy.cache.l2.static", quantity, powers, {}, true},
    {"energy.cache.l3.access", quantity, energies, {}, true},
    {"energy.cache.l3.static", quantity, powers, {}, true},
    {"energy.link.transfer", quantity, link_energies, {}, true},
    {"energy.link.intra", quantity, link_energies, {}, true},
    {"energy.link.static", quantity, powers, {}, true},
    {"energy.memory.activate", quantity, energies, {}, true},
    {"energy.memory.read", quantity, energies, {}, true},
    {"energy.memory.write", quantity, energies, {}, true},
    {"energy.memory.static", quantity, powers, {}, true},
    {"distance.nodes", distances, slit},
    {"baseline.pages", word, {}},
    {"baseline.threads", word, {}},
};

}  // namespace

std::span<const known_fact> known_facts() {
  return facts;
}

const known_fact* find_known_fact(std::string_view key) {
  const known_fact* found = std::find_if(std::begin(facts), std::end(facts),
                                         [&](const known_fact& f) { return f.key == key; });
  return found == std::end(facts) ? nullptr : found;
}

std::string suggest_key(std::string_view key, std::span<const std::string_view> also) {
  std::vector<std::string_view> known(also.begin(), also.end());
  for (const known_fact& fact : facts) known.push_back(fact.key);
  const std::string near = nearest_name(key, known);
  return near.empty() ? "docs/machines.md lists the keys" : fmt::format("did you mean '{}'?", near);
}

result<void> check_unit(const known_fact& known, std::string_view unit) {
  if (known.units.empty() && unit.empty()) return {};
  if (std::find(known.units.begin(), known.units.end(), unit) != known.units.end()) return {};
  std::string what = unit.empty() ? fmt::format("{} has no unit", known.key)
                                  : fmt::format("{} has the unit '{}'", known.key, unit);
  if (known.units.empty()) return fail("", std::move(what), "it takes none");
  return fail("", std::move(what), fmt::format("known: {}", fmt::join(known.units, ", ")));
}

result<void> check_word(const known_fact& known, std::string_view word) {
  if (known.words.empty() && !word.empty()) return {};
  if (known.words.empty()) return fail("", fmt::format("{} must be a text", known.key));
  if (std::find(known.words.begin(), known.words.end(), word) != known.words.end()) return {};
  return fail("", fmt::format("{} cannot be '{}'", known.key, word), suggest(word, known.words));
}

result<void> check_number(const known_fact& known, double value) {
  if (!std::isfinite(value) || value < 0 || (value == 0 && !known.may_be_zero)) {
    return fail("", fmt::format("{} must be a positive number{}", known.key,
                                known.may_be_zero ? " or 0" : ""));
  }
  if (known.kind == fact_kind::count && value != std::floor(value)) {
    return fail("", fmt::format("{} must be a whole number", known.key));
  }
  if (value > largest_fact) {
    return fail("", fmt::format("{} is more than {:.0f}", known.key, largest_fact));
  }
  return {};
}

}  // namespace numatch
