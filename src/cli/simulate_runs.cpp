// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate_runs.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "cli/simulate_description.hpp"
#include "cli/simulation_progress.hpp"
#include "cli/stop_on_signal.hpp"

namespace numatch::cli {

namespace {

/// The run of `stated` that is the same as this one of `plan`: what a sweep changes does not
/// concern every run.
std::optional<std::size_t> same_run(const sim::run_options& run, const simulate_plan& plan,
                                    const simulate_plan& stated) {
  if (&plan == &stated || plan.settings != stated.settings) return std::nullopt;
  const auto found = std::ranges::find(stated.runs, run);
  if (found == stated.runs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - stated.runs.begin());
}

/// The runs of a plan that `stated` does not have.
std::vector<sim::run_options> own_runs(const simulate_plan& plan, const simulate_plan& stated) {
  std::vector<sim::run_options> own;
  std::ranges::copy_if(plan.runs, std::back_inserter(own),
                       [&](const sim::run_options& run) { return !same_run(run, plan, stated); });
  return own;
}

/// All runs of a plan, of which `own` were made and the rest are those of `stated`.
std::vector<sim::run_result> joined(std::vector<sim::run_result> own, const simulate_plan& plan,
                                    const simulate_plan& stated,
                                    const std::vector<sim::run_result>& stated_runs) {
  std::vector<sim::run_result> all;
  std::size_t next = 0;
  for (const sim::run_options& run : plan.runs) {
    const std::optional<std::size_t> same = same_run(run, plan, stated);
    if (same) {
      all.push_back(stated_runs[*same]);
    } else {
      all.push_back(std::move(own[next++]));
    }
  }
  return all;
}

}  // namespace

result<std::vector<planned_request>> plans_of(const simulate_request& request,
                                              const std::vector<std::string>& sweeps,
                                              bool sensitivity) {
  result<simulate_plan> stated = plan_of(request);
  if (!stated) return tl::unexpected(stated.error());
  result<std::vector<swept_request>> points = sweep_of(request, sweeps);
  if (!points) return tl::unexpected(points.error());
  if (sensitivity) {
    result<std::vector<swept_request>> open = sensitivity_of(request, stated->config);
    if (!open) return tl::unexpected(open.error());
    std::ranges::move(*open, std::back_inserter(*points));
  }
  std::vector<planned_request> plans;
  plans.push_back({{"", "", request}, *std::move(stated)});
  for (swept_request& point : *points) {
    result<simulate_plan> plan = plan_of(point.request);
    if (!plan) return tl::unexpected(plan.error());
    plans.push_back({std::move(point), *std::move(plan)});
  }
  return plans;
}

result<simulated> simulate_plans(const std::filesystem::path& file,
                                 std::span<const planned_request> plans, unsigned jobs,
                                 console& terminal) {
  const result<trace::reader> trace = trace::reader::open(file);
  if (!trace) return tl::unexpected(trace.error());
  if (result<void> r = check_trace(plans.front().plan, *trace); !r) {
    return tl::unexpected(r.error());
  }
  const result<std::unique_ptr<sim::program>> traced = sim::trace_program(*trace);
  if (!traced) return tl::unexpected(traced.error());

  const stop_on_signal signals;
  const simulate_plan& stated = plans.front().plan;
  std::size_t runs_in_all = 0;
  for (const planned_request& next : plans) runs_in_all += own_runs(next.plan, stated).size();
  const std::uint64_t accesses = (*traced)->accesses();
  simulation_progress progress(terminal, accesses * runs_in_all, runs_in_all);
  std::vector<std::vector<sim::run_result>> results;
  std::uint64_t before = 0;
  for (const planned_request& next : plans) {
    const std::vector<sim::run_options> own = own_runs(next.plan, stated);
    result<std::vector<sim::run_result>> runs = sim::simulate(
        next.plan.machine, next.plan.config, **traced, own, jobs,
        [&](std::uint64_t done) { progress(before + done); }, signals.stop());
    if (signals.signal() != 0) return simulated{signals.signal(), {}, {}};
    if (!runs) return tl::unexpected(runs.error());
    before += accesses * own.size();
    if (results.empty()) {
      results.push_back(*std::move(runs));
    } else {
      results.push_back(joined(*std::move(runs), next.plan, stated, results.front()));
    }
  }

  simulated done;
  done.stated = describe_runs(plans.front().asked.request, stated, *trace, **traced,
                              std::move(results.front()));
  for (std::size_t i = 1; i < results.size(); ++i) {
    done.points.push_back({plans[i].asked.key, plans[i].asked.value, std::move(results[i])});
  }
  return done;
}

}  // namespace numatch::cli
