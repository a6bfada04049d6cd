// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "pattern/sharing_matrix.hpp"
#include "topology/topology.hpp"

// Thread clustering from sampled remote cache accesses as plain functions: Tam, Azimi, Stumm,
// "Thread Clustering: Sharing-Aware Scheduling on SMP-CMP-SMT Multiprocessors", EuroSys 2007, which
// is the thread mapping of Azimi, Tam, Soares, Stumm (2009).

namespace numatch::azimi {

/// Per thread a vector of byte counters. A region of memory has the entry that its hash says, if no
/// other region had that entry before: regions that come late are left out, so that entries stand
/// for one region each.
class share_maps {
 public:
  static constexpr std::uint8_t counter_max = 255;

  explicit share_maps(std::size_t entries) : region_of_(entries) {}

  /// The entry that counted; nullopt when it belongs to another region.
  std::optional<std::size_t> count(thread_id thread, std::uint64_t region);
  /// Makes room for a thread.
  void note_thread(thread_id thread);

  std::size_t threads() const { return counters_.size(); }
  std::size_t entries() const { return region_of_.size(); }
  std::span<const std::uint8_t> of(std::size_t thread) const { return counters_[thread]; }

  /// Multiplies all counters, rounding down, and gives up the entries that nobody uses any more.
  void age(double factor);

 private:
  std::vector<std::optional<std::uint64_t>> region_of_;
  std::vector<std::vector<std::uint8_t>> counters_;  ///< thread by entry
};

/// The similarity of every pair of threads: the sum over the entries of the product of both
/// counters, without the entries that more than half of the threads use if `leave_out_global`.
sharing_matrix similarities(const share_maps& maps, bool leave_out_global);

/// One pass over the threads: each joins the cluster whose first thread is most similar to it, if
/// that is at least `threshold`, else it begins a cluster. Clusters are numbered as they begin.
std::vector<std::uint32_t> clusters(const sharing_matrix& similar, double threshold);

/// Nodes for the threads: clusters from the largest to the smallest go as a whole to the node with
/// the fewest threads for its PUs; a cluster that would give the node more than its even share of
/// all threads is spread over the least loaded nodes thread by thread. Threads whose place is
/// nullopt get none.
std::vector<std::optional<node_id>> nodes_for(std::span<const std::uint32_t> cluster_of,
                                              std::span<const std::optional<pu_id>> present,
                                              const topology& machine);

/// A PU on the node of every thread: the present one if it lies there and nobody keeps it already,
/// else the least loaded.
std::vector<std::optional<pu_id>> pus_for(std::span<const std::optional<node_id>> nodes,
                                          std::span<const std::optional<pu_id>> present,
                                          const topology& machine);

}  // namespace numatch::azimi
