// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "pattern/sharing_matrix.hpp"
#include "topology/topology.hpp"

namespace numatch {

/// PU × PU distances, from the tree or from the user.
class distance_table {
 public:
  explicit distance_table(const topology& machine);
  /// `cells` is row-major pus × pus, finite, not negative and symmetric; else an error.
  static result<distance_table> from_cells(std::size_t pus, std::vector<double> cells);
  std::size_t size() const { return size_; }
  double at(pu_id a, pu_id b) const { return cells_[a.index() * size_ + b.index()]; }
  /// They are those of the machine's tree: topology::distance().
  bool counts_hops() const { return counts_hops_; }

 private:
  distance_table() = default;
  std::size_t size_ = 0;
  bool counts_hops_ = false;
  std::vector<double> cells_;
};

/// How much work may go into an answer. Counted in operations, never in time: the same request
/// gives the same answer on a busy machine.
enum class mapping_budget : std::uint8_t {
  online,    ///< while the program waits: a warm start, or one start
  standard,  ///< several starts; "default" to a user
  best       ///< offline: a long search
};

/// How threads fill a machine that has room to spare (docs/mapping.md, "Room to spare").
enum class fill_policy : std::uint8_t {
  automatic,  ///< cost decides, but a core gets no more than its share of the threads: with no
              ///< more threads than cores each has a core of its own
  spread,     ///< every part of the machine gets its share of the threads
  pack        ///< cost alone decides: threads that share are packed
};

/// A place for every thread: pu_of[thread]. How much a PU may hold is said in limits.hpp.
struct thread_mapping {
  std::vector<pu_id> pu_of;
};

/// What a mapper is asked. References and spans must outlive the call.
struct mapping_request {
  const sharing_matrix& sharing;
  const topology& machine;
  const distance_table& distances;
  std::uint64_t seed = 1;
  mapping_budget budget = mapping_budget::standard;
  fill_policy policy = fill_policy::automatic;
  std::span<const pu_id> allowed = {};                ///< distinct; empty: every PU
  std::span<const std::optional<pu_id>> pinned = {};  ///< one per thread, or empty: none is pinned
  std::span<const double> weights = {};  ///< load of each thread, > 0, or empty: 1 each
  /// Where the threads run now; nullptr: nowhere yet. Threads may run on PUs that are not allowed
  /// any more.
  const thread_mapping* current = nullptr;
  /// What it costs to move a thread, in the unit of the mapping's cost (sharing × distance); needs
  /// `current`.
  double move_cost = 0;
  /// See pair_rule::alpha; 0 to 1.
  double alpha = 0;
};

/// The fields of a request that change the answers of some algorithms only; the others ignore them.
struct algorithm_knobs {
  bool seed = false;
  bool budget = false;
  bool alpha = false;
};

/// One algorithm = one file of mapping/algorithms that defines `<file>_algorithm` of this type.
/// `map` gets requests that have passed check_request() and keeps the limits of limits.hpp.
struct mapping_algorithm {
  std::string_view name;
  std::string_view summary;
  result<thread_mapping> (*map)(const mapping_request&);
  algorithm_knobs uses = {};
};

/// Generated from the files of mapping/algorithms, sorted by name.
std::span<const mapping_algorithm* const> all_algorithms();
/// An unknown name is an error that suggests the nearest one.
result<const mapping_algorithm*> find_algorithm(std::string_view name);

/// A mapping with what is said about it.
struct mapping_answer {
  std::string algorithm;
  thread_mapping mapping;
  double cost = 0;         ///< mapping_cost()
  double seconds = 0;      ///< wall time from request to mapping, measured
  double gain = 0;         ///< cost of the current mapping less `cost`; 0 without a current one
  std::size_t moved = 0;   ///< threads that are not where they are now; 0 without a current mapping
  double cpu_seconds = 0;  ///< processor time of this thread for the same, measured
};

/// A price of moves that keeps a mapping stable: a hundredth of what a thread pays on average where
/// it runs now. On 64 threads whose amounts change by up to 10 % about a tenth of them move, and
/// the cost is within 0.1 % of a fresh mapping's (build/bench/mapping stability). Needs `current`.
double stable_move_cost(const mapping_request& request);

/// Checks the request (check_request()), runs the algorithm, checks its answer (limits.hpp).
///
/// With a current mapping the answer is made stable: where distances follow the tree, equal parts
/// of the machine are exchanged so that as few threads as possible move (alignment.hpp), and all
/// stay where they are when the gain is not above move_cost x threads moved and the current mapping
/// keeps the limits.
result<mapping_answer> map_threads(const mapping_algorithm& algorithm,
                                   const mapping_request& request);

/// Σ over i<j of (sharing[i][j] + sharing[j][i]) × distance(pu_i, pu_j).
double mapping_cost(const sharing_matrix& sharing, const thread_mapping& mapping,
                    const distance_table& distances);
/// Share of the matrix total between threads on the same node, 0..1; 1 when nothing is shared.
double share_in_node(const sharing_matrix& sharing, const thread_mapping& mapping,
                     const topology& machine);

}  // namespace numatch
