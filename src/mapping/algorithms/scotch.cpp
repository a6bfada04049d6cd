// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "mapping/leaf_mapping.hpp"
#include "mapping/repair.hpp"
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

  /// `loads` may be empty: 1 for each. The result is empty on failure.
  std::vector<SCOTCH_Num> map(const scotch_weights& w, const std::vector<SCOTCH_Num>& loads,
                              scotch_target& target, std::uint64_t seed);

 private:
  SCOTCH_Context context_;
  SCOTCH_Graph graph_;
  SCOTCH_Graph bound_;
  SCOTCH_Strat strategy_;
};

std::vector<SCOTCH_Num> scotch_run::map(const scotch_weights& w,
                                        const std::vector<SCOTCH_Num>& loads, scotch_target& target,
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
         SCOTCH_graphBuild(&graph_, 0, threads, w.first.data(), w.first.data() + 1,
                           loads.empty() ? nullptr : loads.data(), nullptr, w.first.back(),
                           w.to.data(), w.weight.data()) == 0 &&
         SCOTCH_contextBindGraph(&context_, &graph_, &bound_) == 0;
  if (fine && target.recursive_only()) {
    fine = SCOTCH_stratGraphMapBuild(&strategy_, SCOTCH_STRATRECURSIVE,
                                     SCOTCH_archSize(target.get()), 0.01) == 0;
  }
  std::vector<SCOTCH_Num> terminal(static_cast<std::size_t>(threads));
  fine = fine && SCOTCH_graphMap(&bound_, target.get(), &strategy_, terminal.data()) == 0;
  return fine ? terminal : std::vector<SCOTCH_Num>{};
}

/// The PUs that Scotch chooses from. Scotch knows how much a PU may hold but not a core or a node:
/// where each of them may hold one thread, its first PU stands for it.
std::vector<pu_id> places_for(const mapping_request& request, const pu_tree& tree,
                              const load_limits& limits) {
  for (std::size_t level = 1; level < tree.levels() && request.weights.empty(); ++level) {
    const std::vector<double>& limit = limits.limit[level];
    if (*std::max_element(limit.begin(), limit.end()) > 1) continue;
    std::vector<pu_id> places;
    for (const pu_tree::group& g : tree.groups(level)) places.push_back(tree.pu(g.first));
    return places;
  }
  return {request.allowed.begin(), request.allowed.end()};
}

/// Scotch's load of each vertex. Those that share nothing fill the places that stay empty.
std::vector<SCOTCH_Num> vertex_loads(const mapping_request& request, std::size_t vertices) {
  if (request.weights.empty()) return {};
  constexpr double mean_load = 1000;
  const double total = std::accumulate(request.weights.begin(), request.weights.end(), 0.0);
  const double unit = mean_load / total * static_cast<double>(request.weights.size());
  std::vector<SCOTCH_Num> loads;
  for (const double weight : request.weights) {
    loads.push_back(static_cast<SCOTCH_Num>(std::max(1.0, std::round(weight * unit))));
  }
  loads.resize(vertices, static_cast<SCOTCH_Num>(mean_load));
  return loads;
}

result<thread_mapping> map_by_scotch(const mapping_request& request) {
  const sharing_graph graph(request.sharing);
  const pu_tree tree(request.machine, request.allowed);
  const load_limits limits = limits_of(request, tree);
  // Nothing to decide.
  if (graph.arcs() == 0 || tree.size() == 1) return pus_of(limits.witness, tree);

  const pu_tree places(request.machine, places_for(request, tree, limits));
  const std::lock_guard<std::mutex> guard(scotch_lock());
  scotch_target target;
  if (result<void> r = target.build(request.machine, request.distances, places); !r) {
    return tl::unexpected(r.error());
  }
  // Scotch gives every part of the machine the same load, so few threads would be spread over all
  // nodes whatever they share. Threads that share nothing take the places that stay empty.
  const std::size_t threads = graph.size();
  const bool spread = request.policy == fill_policy::spread;
  const std::size_t vertices = spread ? threads : std::max(threads, places.size());
  const scotch_weights weights(graph, target.greatest_distance(), vertices);
  const std::vector<SCOTCH_Num> loads = vertex_loads(request, vertices);
  const std::vector<SCOTCH_Num> terminals = scotch_run().map(weights, loads, target, request.seed);
  if (terminals.empty()) return fail("Scotch", "could not map the threads");
  std::vector<std::uint32_t> leaf_of;
  for (std::size_t t = 0; t < threads; ++t) {
    leaf_of.push_back(tree.leaf_of(target.pu_of(terminals[t])));
  }
  // Scotch balances to within a per cent, not to one thread per PU, and knows no pinned threads.
  repair(leaf_of, request, tree, limits, graph);
  thread_mapping mapping = pus_of(leaf_of, tree);
  const bool even = !request.machine.arities().empty() && request.allowed.empty();
  if (target.follows_tree() && even && request.pinned.empty()) {
    order_siblings(mapping, request.machine);
  }
  return mapping;
}

}  // namespace

extern const mapping_algorithm scotch_algorithm{
    "scotch",
    "Scotch: dual recursive bipartitioning of threads and machine, as LAPT and SAMMU use",
    map_by_scotch,
    {.seed = true}};

}  // namespace numatch
