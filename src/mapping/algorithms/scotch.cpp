// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <mutex>
#include <numeric>

#include "mapping/capacity.hpp"
#include "mapping/mapper.hpp"
#include "mapping/scotch_target.hpp"
#include "mapping/sharing_graph.hpp"
#include "mapping/sibling_order.hpp"

// Scotch reports problems through these functions, which every program may define. A library room
// does not print: the return value of the failing call says enough.
extern "C" {
void SCOTCH_errorProg(const char*) {}
void SCOTCH_errorPrint(const char*, ...) {}
void SCOTCH_errorPrintW(const char*, ...) {}
}

namespace numatch {

namespace {

/// The strategy parser and the random generator of Scotch 7.0 are state of the whole process.
std::mutex& scotch_lock() {
  static std::mutex lock;
  return lock;
}

/// The sharing graph with whole-number weights. Scotch adds up weight × distance over all edges in
/// a SCOTCH_Num, so heavy matrices are scaled down and fractions are scaled up, until the sum is
/// at most a quarter of its range.
struct scotch_weights {
  std::vector<SCOTCH_Num> first;
  std::vector<SCOTCH_Num> to;
  std::vector<SCOTCH_Num> weight;

  /// `vertices` is at least the number of threads; those beyond share nothing.
  scotch_weights(const sharing_graph& graph, double greatest_distance, std::size_t vertices) {
    double total = 0;
    bool whole = true;
    double heaviest = 0;
    for (std::size_t t = 0; t < graph.size(); ++t) {
      for (const sharing_graph::edge& e : graph.edges_of(t))
        heaviest = std::max(heaviest, e.weight);
    }
    for (std::size_t t = 0; t < graph.size(); ++t) {
      for (const sharing_graph::edge& e : graph.edges_of(t)) {
        total += e.weight / heaviest;  // the sum of the weights themselves could overflow
        whole = whole && e.weight == std::floor(e.weight);
      }
    }
    const double most = std::ldexp(1.0, 8 * sizeof(SCOTCH_Num) - 3) / greatest_distance;
    const bool fits = total * heaviest <= most;
    first.push_back(0);
    for (std::size_t t = 0; t < graph.size(); ++t) {
      for (const sharing_graph::edge& e : graph.edges_of(t)) {
        const double scaled = whole && fits ? e.weight : e.weight / heaviest * (most / total);
        to.push_back(static_cast<SCOTCH_Num>(e.to));
        weight.push_back(static_cast<SCOTCH_Num>(std::max(1.0, std::floor(scaled))));
      }
      first.push_back(static_cast<SCOTCH_Num>(to.size()));
    }
    first.resize(vertices + 1, first.back());
  }
};

/// One thread, one seed, one graph: everything of Scotch that must be given back.
class scotch_run {
 public:
  scotch_run() {
    SCOTCH_contextInit(&context_);
    SCOTCH_graphInit(&graph_);
    SCOTCH_graphInit(&bound_);
    SCOTCH_stratInit(&strategy_);
  }
  scotch_run(const scotch_run&) = delete;
  scotch_run& operator=(const scotch_run&) = delete;
  ~scotch_run() {
    SCOTCH_stratExit(&strategy_);
    SCOTCH_graphExit(&bound_);
    SCOTCH_graphExit(&graph_);
    SCOTCH_contextExit(&context_);
  }

  /// Empty on failure.
  std::vector<SCOTCH_Num> map(const scotch_weights& w, scotch_target& target, std::uint64_t seed);

 private:
  SCOTCH_Context context_;
  SCOTCH_Graph graph_;
  SCOTCH_Graph bound_;
  SCOTCH_Strat strategy_;
};

std::vector<SCOTCH_Num> scotch_run::map(const scotch_weights& w, scotch_target& target,
                                        std::uint64_t seed) {
  const SCOTCH_Num threads = static_cast<SCOTCH_Num>(w.first.size() - 1);
  const SCOTCH_Num number = static_cast<SCOTCH_Num>((seed ^ (seed >> 31U)) & 0x7fffffffU);
  // A generator of our own, and one thread: with its own threads Scotch 7 waits for a busy machine.
  bool fine = SCOTCH_contextRandomClone(&context_) == 0 &&
              SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0;
  if (!fine) return {};
  SCOTCH_contextRandomSeed(&context_, number);
  SCOTCH_contextRandomReset(&context_);
  fine = SCOTCH_contextThreadSpawn(&context_, 1, nullptr) == 0 &&
         SCOTCH_graphBuild(&graph_, 0, threads, w.first.data(), w.first.data() + 1, nullptr,
                           nullptr, w.first.back(), w.to.data(), w.weight.data()) == 0 &&
         SCOTCH_contextBindGraph(&context_, &graph_, &bound_) == 0;
  if (fine && target.recursive_only()) {
    fine = SCOTCH_stratGraphMapBuild(&strategy_, SCOTCH_STRATRECURSIVE,
                                     SCOTCH_archSize(target.get()), 0.01) == 0;
  }
  std::vector<SCOTCH_Num> terminal(static_cast<std::size_t>(threads));
  fine = fine && SCOTCH_graphMap(&bound_, target.get(), &strategy_, terminal.data()) == 0;
  return fine ? terminal : std::vector<SCOTCH_Num>{};
}

result<thread_mapping> map_by_scotch(const mapping_request& request) {
  const sharing_graph graph(request.sharing);
  if (graph.arcs() == 0 || request.machine.pu_count() == 1) {
    // Nothing to decide.
    return (*find_algorithm("compact"))->map(request);
  }
  const std::lock_guard<std::mutex> guard(scotch_lock());
  scotch_target target;
  if (result<void> r = target.build(request.machine, request.distances); !r) {
    return tl::unexpected(r.error());
  }
  // Scotch gives every part of the machine the same load, so few threads would be spread over all
  // nodes whatever they share. Threads that share nothing take the places that stay empty.
  const std::size_t threads = graph.size();
  const std::size_t vertices = std::max(threads, request.machine.pu_count());
  const scotch_weights weights(graph, target.greatest_distance(), vertices);
  const std::vector<SCOTCH_Num> terminals = scotch_run().map(weights, target, request.seed);
  if (terminals.empty()) return fail("Scotch", "could not map the threads");
  thread_mapping mapping;
  for (std::size_t t = 0; t < threads; ++t) mapping.pu_of.push_back(target.pu_of(terminals[t]));
  // Scotch balances to within a per cent, not to one thread per PU.
  respect_capacity(mapping, graph, request.distances);
  if (target.siblings_are_alike()) order_siblings(mapping, request.machine);
  return mapping;
}

}  // namespace

extern const mapping_algorithm scotch_algorithm{
    "scotch", "Scotch: dual recursive bipartitioning of threads and machine, as LAPT and SAMMU use",
    map_by_scotch};

}  // namespace numatch
