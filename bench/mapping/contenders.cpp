// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/contenders.hpp"

#include <algorithm>
#include <ctime>
#include <optional>

#include "bench/mapping/scotch_direct.hpp"
#include "mapping/leaf_mapping.hpp"
#include "mapping/online_mapper.hpp"
#include "mapping/repair.hpp"
#include "mapping/sharing_graph.hpp"

namespace numatch::bench {

namespace {

class algorithm_contender final : public contender {
 public:
  algorithm_contender(std::string name, const mapping_algorithm& algorithm, mapping_budget budget)
      : contender(std::move(name)), algorithm_(algorithm), budget_(budget) {}

  std::string declines(const mapping_request& request) const override {
    const std::size_t threads = request.sharing.size();
    // Their work grows with the third power of the threads, or exponentially.
    if (algorithm_.name == "exact" && threads > 8) return "for up to 8 threads";
    if (algorithm_.name == "matching" && threads > 1024) return "for up to 1024 threads";
    if (algorithm_.name == "treematch" && threads > 1024) return "for up to 1024 threads";
    return "";
  }
  result<void> prepare(const mapping_request&) override { return {}; }
  result<thread_mapping> map(const mapping_request& request) override {
    mapping_request with_budget = request;
    with_budget.budget = budget_;
    return algorithm_.map(with_budget);
  }

 private:
  const mapping_algorithm& algorithm_;
  mapping_budget budget_;
};

/// `numatch` in its online budget as a running program uses it: the mapper is made beforehand, each
/// call searches anew. Where the mapper declines, on machines that are no tree, the algorithm.
class online_contender final : public contender {
 public:
  explicit online_contender(const mapping_algorithm& algorithm)
      : contender("numatch/online"), algorithm_(algorithm) {}

  std::string declines(const mapping_request&) const override { return ""; }
  result<void> prepare(const mapping_request& request) override {
    mapper_.reset();
    result<online_mapper> made =
        online_mapper::make(request.machine, request.distances, request.sharing.size(),
                            request.policy, request.allowed, request.seed);
    if (made) mapper_.emplace(std::move(*made));
    return {};
  }
  result<thread_mapping> map(const mapping_request& request) override {
    if (!mapper_) {
      mapping_request online = request;
      online.budget = mapping_budget::online;
      return algorithm_.map(online);
    }
    mapper_->start_over();
    const std::span<const pu_id> places = mapper_->map(request.sharing, 0);
    return thread_mapping{{places.begin(), places.end()}};
  }

 private:
  const mapping_algorithm& algorithm_;
  std::optional<online_mapper> mapper_;
};

/// Whether the capacity of the PUs is kept; where not, threads are moved to where it costs least.
bool keep_capacity(thread_mapping& mapping, mapping_request request) {
  request.policy = fill_policy::pack;
  const pu_tree tree(request.machine, request.allowed);
  const load_limits limits = limits_of(request, tree);
  std::vector<std::uint32_t> leaf_of = leaves_of(mapping, tree);
  if (keeps_limits(leaf_of, request, tree, limits)) return true;
  repair(leaf_of, request, tree, limits, sharing_graph(request.sharing));
  mapping = pus_of(leaf_of, tree);
  return false;
}

}  // namespace

std::vector<std::unique_ptr<contender>> all_contenders() {
  std::vector<std::unique_ptr<contender>> all;
  const auto add = [&](std::string name, const mapping_algorithm& algorithm,
                       mapping_budget budget) {
    all.push_back(std::make_unique<algorithm_contender>(std::move(name), algorithm, budget));
  };
  for (const mapping_algorithm* algorithm : all_algorithms()) {
    const std::string name(algorithm->name);
    if (name == "numatch") {
      all.push_back(std::make_unique<online_contender>(*algorithm));
      add(name, *algorithm, mapping_budget::standard);
      add(name + "/best", *algorithm, mapping_budget::best);
    } else {
      add(name, *algorithm, mapping_budget::standard);
    }
  }
  for (std::unique_ptr<contender>& scotch : scotch_contenders()) all.push_back(std::move(scotch));
  return all;
}

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

result<measured_run> measure(contender& who, const mapping_request& request, unsigned repeats,
                             double most_seconds) {
  if (result<void> r = who.prepare(request); !r) return tl::unexpected(r.error());
  measured_run run;
  std::vector<double> taken;
  double all = 0;
  for (unsigned i = 0; i <= repeats && (i == 0 || all < most_seconds); ++i) {
    const double start = thread_cpu_seconds();
    result<thread_mapping> mapping = who.map(request);
    const double seconds = thread_cpu_seconds() - start;
    if (!mapping) return tl::unexpected(mapping.error());
    all += seconds;
    if (i == 0) {
      run.first_cpu_seconds = seconds;
      run.mapping = std::move(*mapping);
    } else {
      taken.push_back(seconds);
    }
  }
  if (taken.empty()) taken.push_back(run.first_cpu_seconds);
  std::sort(taken.begin(), taken.end());
  run.cpu_seconds = taken[taken.size() / 2];
  run.keeps_capacity = keep_capacity(run.mapping, request);
  run.cost = mapping_cost(request.sharing, run.mapping, request.distances);
  return run;
}

}  // namespace numatch::bench
