// SPDX-License-Identifier: Apache-2.0
#include "topology/description_schema.hpp"

#include <algorithm>
#include <array>

namespace numatch {

namespace {

using enum fact_kind;
constexpr std::array<std::string_view, 4> sizes{"B", "KiB", "MiB", "GiB"};
constexpr std::array<std::string_view, 2> times{"cycles", "ns"};
constexpr std::array<std::string_view, 3> rates{"B/cycle", "GB/s", "MT/s"};
constexpr std::array<std::string_view, 2> frequencies{"MHz", "GHz"};
constexpr std::array<std::string_view, 1> lengths{"nm"};
constexpr std::array<std::string_view, 1> slit{"SLIT"};

constexpr known_fact facts[] = {
    {"tree.hwloc", word, {}},
    {"processor.model", word, {}},
    {"processor.frequency", quantity, frequencies},
    {"processor.process", quantity, lengths},
    {"cache.l1.size", quantity, sizes},
    {"cache.l1.ways", count, {}},
    {"cache.l1.banks", count, {}},
    {"cache.l1.line", quantity, sizes},
    {"cache.l1.latency", quantity, times},
    {"cache.l2.size", quantity, sizes},
    {"cache.l2.ways", count, {}},
    {"cache.l2.banks", count, {}},
    {"cache.l2.line", quantity, sizes},
    {"cache.l2.latency", quantity, times},
    {"cache.l3.size", quantity, sizes},
    {"cache.l3.ways", count, {}},
    {"cache.l3.banks", count, {}},
    {"cache.l3.line", quantity, sizes},
    {"cache.l3.latency", quantity, times},
    {"tlb.l1.entries", count, {}},
    {"tlb.l1.ways", count, {}},
    {"tlb.l1.shared_by", word, {}},
    {"tlb.l2.entries", count, {}},
    {"tlb.l2.ways", count, {}},
    {"tlb.l2.shared_by", word, {}},
    {"page.size", quantity, sizes},
    {"coherence.protocol", word, {}},
    {"link.intra.topology", word, {}},
    {"link.intra.latency", quantity, times},
    {"link.intra.bandwidth", quantity, rates},
    {"link.inter.topology", word, {}},
    {"link.inter.latency", quantity, times},
    {"link.inter.bandwidth", quantity, rates},
    {"memory.size", quantity, sizes},
    {"memory.type", word, {}},
    {"memory.timing", word, {}},
    {"memory.transfers", quantity, rates},
    {"memory.channels", count, {}},
    {"memory.ranks", count, {}},
    {"memory.banks", count, {}},
    {"memory.local_latency", quantity, times},
    {"memory.remote_latency", quantity, times},
    {"memory.local_bandwidth", quantity, rates},
    {"memory.remote_bandwidth", quantity, rates},
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

}  // namespace numatch
