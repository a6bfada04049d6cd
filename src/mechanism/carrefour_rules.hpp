// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"

// Carrefour's decisions as plain functions: Dashti, Fedorova, Funston, Gaud, Lachaize, Lepers,
// Quema, Roth, "Traffic Management: A Holistic Approach to Memory Placement on NUMA Systems",
// ASPLOS 2013, and the thresholds of its published runtime. Shares are 0..1.

namespace numatch::carrefour {

/// What the samples of an interval say about the whole program.
struct metrics {
  double accesses_per_microsecond = 0;  ///< to memory, estimated from the samples
  double local_share = 0;               ///< of the accesses to memory
  double read_share = 1;
  double imbalance = 0;  ///< see imbalance_of()
};

struct thresholds {
  double intensity = 50;                 ///< accesses per microsecond; below, nothing is done
  double replication_reads = 0.95;       ///< replication at this share of reads or more
  double interleaving_imbalance = 0.35;  ///< interleaving above this imbalance ...
  double interleaving_local = 1;         ///< ... and below this local share
  double migration_local = 0.8;          ///< migration below this local share
};

/// What an interval may do.
struct techniques {
  bool replication = true;
  bool interleaving = true;
  bool migration = true;
  bool any() const { return replication || interleaving || migration; }
  friend bool operator==(const techniques&, const techniques&) = default;
};

/// Standard deviation (of a sample) by mean of the accesses to every node's memory; 0 without any.
double imbalance_of(std::span<const std::uint64_t> accesses_of_node);

/// Those of `allowed` that the metrics ask for.
techniques decide(const metrics& seen, const thresholds& limits, const techniques& allowed);

enum class page_fate : std::uint8_t {
  stay,
  replicate,   ///< several nodes read it, nobody wrote it
  interleave,  ///< several nodes use it
  migrate      ///< one node uses it
};

/// `samples_of_node` are a page's samples in the interval by the node of the accessing thread. A
/// page of one node also moves while only interleaving is on, as in the published module; it
/// needs `least_samples` where interleaving is off.
page_fate fate_of(std::span<const std::uint32_t> samples_of_node, std::uint64_t writes,
                  const techniques& on, std::uint64_t least_samples);

/// Where a page of `present` is interleaved to: with the probability of its node's share of all
/// accesses it leaves, to a node drawn with the weight 1 - share of each. nullopt: it stays.
/// The draws are in [0, 1).
std::optional<node_id> interleaved_to(std::span<const std::uint64_t> accesses_of_node,
                                      node_id present, double leaving_draw, double node_draw);

}  // namespace numatch::carrefour
