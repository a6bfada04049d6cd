// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/scotch_direct.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/statistics.hpp"
#include "mapping/scotch_target.hpp"

namespace numatch::bench {

namespace {

/// The sharing matrix in Scotch's form. Scotch adds up weight × distance in 32 bits.
struct whole_graph {
  std::vector<SCOTCH_Num> first{0};
  std::vector<SCOTCH_Num> to;
  std::vector<SCOTCH_Num> weight;

  whole_graph(const mapping_request& request, double greatest_distance) {
    const sharing_matrix& sharing = request.sharing;
    const std::size_t threads = sharing.size();
    const double most = std::ldexp(1.0, 29) / greatest_distance;
    const double scale = std::min(1.0, most / std::max(1.0, 2 * sharing.total()));
    for (std::size_t i = 0; i < threads; ++i) {
      for (std::size_t j = 0; j < threads; ++j) {
        const double amount = sharing.between(i, j);
        if (i == j || amount <= 0) continue;
        to.push_back(static_cast<SCOTCH_Num>(j));
        weight.push_back(std::max(SCOTCH_Num{1}, static_cast<SCOTCH_Num>(amount * scale)));
      }
      first.push_back(static_cast<SCOTCH_Num>(to.size()));
    }
    first.resize(std::max(threads, request.machine.pu_count()) + 1, first.back());
  }
};

/// One call of SCOTCH_graphMap with everything of Scotch around it.
class scotch_call {
 public:
  scotch_call() {
    SCOTCH_contextInit(&context_);
    SCOTCH_graphInit(&graph_);
    SCOTCH_graphInit(&bound_);
    SCOTCH_stratInit(&strategy_);
  }
  scotch_call(const scotch_call&) = delete;
  scotch_call& operator=(const scotch_call&) = delete;
  ~scotch_call() {
    SCOTCH_stratExit(&strategy_);
    SCOTCH_graphExit(&bound_);
    SCOTCH_graphExit(&graph_);
    SCOTCH_contextExit(&context_);
  }

  /// flags: SCOTCH_STRAT…; none: the strategy that Scotch takes when nothing is said.
  bool map(const whole_graph& graph, SCOTCH_Arch* target, std::optional<SCOTCH_Num> flags,
           std::uint64_t seed, bool one_thread, std::vector<SCOTCH_Num>& places) {
    const SCOTCH_Num vertices = static_cast<SCOTCH_Num>(graph.first.size() - 1);
    places.resize(graph.first.size() - 1);
    bool fine = SCOTCH_contextRandomClone(&context_) == 0;
    SCOTCH_contextRandomSeed(&context_, static_cast<SCOTCH_Num>(seed));
    SCOTCH_contextRandomReset(&context_);
    fine = fine && (!one_thread || SCOTCH_contextThreadSpawn(&context_, 1, nullptr) == 0);
    fine =
        fine &&
        SCOTCH_graphBuild(&graph_, 0, vertices, graph.first.data(), graph.first.data() + 1, nullptr,
                          nullptr, graph.first.back(), graph.to.data(), graph.weight.data()) == 0 &&
        SCOTCH_contextBindGraph(&context_, &graph_, &bound_) == 0;
    if (fine && flags) {
      fine = SCOTCH_stratGraphMapBuild(&strategy_, *flags, SCOTCH_archSize(target), 0.01) == 0;
    }
    return fine && SCOTCH_graphMap(&bound_, target, &strategy_, places.data()) == 0;
  }

 private:
  SCOTCH_Context context_;
  SCOTCH_Graph graph_;
  SCOTCH_Graph bound_;
  SCOTCH_Strat strategy_;
};

class scotch_contender final : public contender {
 public:
  scotch_contender(std::string name, std::optional<SCOTCH_Num> flags, unsigned seeds,
                   std::size_t most_arcs)
      : contender(std::move(name)), flags_(flags), seeds_(seeds), most_arcs_(most_arcs) {}

  std::string declines(const mapping_request& request) const override {
    std::size_t arcs = 0;
    for (const double cell : request.sharing.cells()) arcs += cell > 0 ? 1 : 0;
    return arcs > most_arcs_ ? "takes too long on so many pairs" : "";
  }

  result<void> prepare(const mapping_request& request) override {
    target_.emplace();
    return target_->build(request.machine, request.distances, pu_tree(request.machine));
  }

  result<thread_mapping> map(const mapping_request& request) override {
    const whole_graph graph(request, target_->greatest_distance());
    std::optional<SCOTCH_Num> flags = flags_;
    // The direct method cannot use such a target: see scotch_target.
    if (target_->recursive_only()) flags = flags.value_or(0) | SCOTCH_STRATRECURSIVE;
    std::vector<SCOTCH_Num> places;
    thread_mapping best;
    double least = 0;
    for (unsigned k = 0; k < seeds_; ++k) {
      if (!scotch_call().map(graph, target_->get(), flags, request.seed + k, true, places)) {
        return fail(name(), "could not map the threads");
      }
      thread_mapping mapping;
      for (std::size_t t = 0; t < request.sharing.size(); ++t) {
        mapping.pu_of.push_back(target_->pu_of(places[t]));
      }
      if (seeds_ == 1) return mapping;
      double cost = 0;
      for (std::size_t t = 0; t < request.sharing.size(); ++t) {
        for (SCOTCH_Num e = graph.first[t]; e < graph.first[t + 1]; ++e) {
          const std::size_t edge = static_cast<std::size_t>(e);
          const std::size_t other = static_cast<std::size_t>(graph.to[edge]);
          cost += graph.weight[edge] * request.distances.at(mapping.pu_of[t], mapping.pu_of[other]);
        }
      }
      if (k == 0 || cost < least) {
        least = cost;
        best = std::move(mapping);
      }
    }
    return best;
  }

 private:
  std::optional<SCOTCH_Num> flags_;
  unsigned seeds_;
  std::size_t most_arcs_;
  std::optional<scotch_target> target_;
};

}  // namespace

std::vector<std::unique_ptr<contender>> scotch_contenders() {
  constexpr std::size_t any = ~std::size_t{0};
  constexpr std::size_t few = 200'000;  // a dense matrix of 1024 threads takes seconds
  constexpr SCOTCH_Num recursive =
      SCOTCH_STRATRECURSIVE | SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE;
  std::vector<std::unique_ptr<contender>> all;
  const auto add = [&](const char* name, std::optional<SCOTCH_Num> flags, unsigned seeds,
                       std::size_t most_arcs) {
    all.push_back(std::make_unique<scotch_contender>(name, flags, seeds, most_arcs));
  };
  add("Scotch default", std::nullopt, 1, any);
  add("Scotch quality", SCOTCH_STRATQUALITY, 1, any);
  add("Scotch recursive", recursive, 1, any);
  add("Scotch 10 seeds", std::nullopt, 10, few);
  return all;
}

result<scotch_wall_times> scotch_wall(const mapping_request& request, bool one_thread,
                                      unsigned calls) {
  scotch_target target;
  if (result<void> r = target.build(request.machine, request.distances, pu_tree(request.machine));
      !r) {
    return tl::unexpected(r.error());
  }
  const whole_graph graph(request, target.greatest_distance());
  std::vector<double> taken;
  std::vector<SCOTCH_Num> places;
  for (unsigned i = 0; i <= calls; ++i) {
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    if (!scotch_call().map(graph, target.get(), std::nullopt, 1, one_thread, places)) {
      return fail("Scotch", "could not map the threads");
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (i > 0) taken.push_back(seconds.count());  // the first call warms up
  }
  std::sort(taken.begin(), taken.end());
  return scotch_wall_times{taken[taken.size() / 2], taken[taken.size() * 9 / 10]};
}

}  // namespace numatch::bench
