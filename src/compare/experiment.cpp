// SPDX-License-Identifier: Apache-2.0
#include "compare/experiment.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace numatch::compare {

std::vector<std::size_t> drawn_order(std::size_t methods, const experiment_plan& plan) {
  std::mt19937_64 random(plan.seed);
  std::vector<std::size_t> order;
  for (std::size_t round = 0; round < plan.runs; ++round) {
    std::vector<std::size_t> next(methods);
    std::iota(next.begin(), next.end(), std::size_t{0});
    // std::shuffle differs between C++ libraries; the bias of the remainder is below 2^-50.
    for (std::size_t i = methods; i > 1; --i) std::swap(next[i - 1], next[random() % i]);
    order.insert(order.end(), next.begin(), next.end());
  }
  return order;
}

result<std::vector<method_runs>> run_experiment(std::span<const method> methods,
                                                const situation& here, const experiment_plan& plan,
                                                program_runner& runner,
                                                const progress_report& progress) {
  std::vector<method_runs> all;
  for (const method& m : methods) all.push_back({m.name, m.summary, {}});
  const std::vector<std::size_t> order = drawn_order(methods.size(), plan);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const method& now = methods[order[i]];
    progress(i, order.size(), now.name);
    std::vector<run_figures>& runs = all[order[i]].runs;
    // Seeds of a method's runs are the numbers behind the experiment's.
    const result<run_setup> setup = now.prepare(here, plan.seed + runs.size());
    if (!setup) return tl::unexpected(setup.error());
    const result<run_figures> figures = runner.run(*setup);
    if (!figures) {
      return fail(
          figures.error().where,
          fmt::format("run {} of {} ({}): {}", i + 1, order.size(), now.name, figures.error().what),
          figures.error().hint);
    }
    runs.push_back(*figures);
  }
  return all;
}

}  // namespace numatch::compare
