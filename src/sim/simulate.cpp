// SPDX-License-Identifier: Apache-2.0
#include "sim/simulate.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "sim/engine.hpp"
#include "sim/simulate_seen.hpp"
#include "sim/thread_team.hpp"

namespace numatch::sim {

result<std::vector<seen_run>> simulate_seen(const topology& machine, const machine_config& config,
                                            const program& traced,
                                            std::span<const run_options> runs, unsigned jobs,
                                            const progress_call& progress,
                                            const std::atomic<bool>& stop) {
  jobs = std::max(1U, jobs);
  const unsigned at_once = static_cast<unsigned>(std::min<std::size_t>(jobs, runs.size()));
  const unsigned workers = at_once == 0 ? 1 : jobs / at_once;
  std::vector<std::optional<result<run_result>>> done(runs.size());
  std::vector<sharing_matrix> sharing(runs.size());
  std::mutex reporting;
  std::uint64_t simulated = 0;
  const auto tell = [&](std::uint64_t more) {
    if (!progress) return;
    const std::lock_guard lock(reporting);
    simulated += more;
    progress(simulated);
  };
  const auto run_one = [&](std::size_t i) {
    engine one(machine, config, traced, runs[i], workers);
    done[i] = one.run(tell, stop);
    sharing[i] = one.sharing();
  };
  std::atomic<std::size_t> next = 0;
  thread_team(std::max(1U, at_once)).run([&](unsigned) {
    for (std::size_t i = next++; i < runs.size(); i = next++) run_one(i);
  });
  std::vector<seen_run> results;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!*done[i]) return tl::unexpected(done[i]->error());
    results.push_back({std::move(**done[i]), std::move(sharing[i])});
  }
  return results;
}

result<std::vector<run_result>> simulate(const topology& machine, const machine_config& config,
                                         const program& traced, std::span<const run_options> runs,
                                         unsigned jobs, const progress_call& progress,
                                         const std::atomic<bool>& stop) {
  result<std::vector<seen_run>> seen =
      simulate_seen(machine, config, traced, runs, jobs, progress, stop);
  if (!seen) return tl::unexpected(seen.error());
  std::vector<run_result> results;
  for (seen_run& one : *seen) results.push_back(std::move(one.run));
  return results;
}

}  // namespace numatch::sim
