// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate_description.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace numatch::cli {

namespace {

/// A mechanism that decided nothing: is the program shorter than what it waits for?
std::optional<std::string> idle_note(const sim::run_result& run, const sim::run_options& asked) {
  if (asked.mechanism == nullptr || !run.decisions.empty()) return std::nullopt;
  const bool moves = std::ranges::any_of(asked.mechanism->acts, [](action_kind action) {
    return action == action_kind::move_threads || action == action_kind::move_pages ||
           action == action_kind::replicate_pages;
  });
  if (!moves) return std::nullopt;
  return fmt::format(
      "{} decided nothing in {:.3g} ms: a longer run, or shorter intervals by --time-scale, may "
      "show more.",
      run.mechanism, 1e3 * run.seconds());
}

}  // namespace

report::simulation describe_runs(const simulate_request& request, const simulate_plan& plan,
                                 const trace::reader& trace, const sim::program& traced,
                                 std::vector<sim::run_result> runs) {
  const std::vector<std::string>& words = trace.metadata().command;
  report::simulation made;
  made.program = words.empty() ? trace.path().string() : fmt::format("{}", fmt::join(words, " "));
  made.threads = trace.threads().size();
  made.machine = request.machine;
  made.settings = plan.settings;
  made.seed = request.seed;
  made.phase_cycles = request.phase_cycles;
  made.time_scale = request.time_scale;
  made.region_of_interest = request.region_of_interest && traced.has_region_of_interest();
  made.notes = notes_on(request, plan, trace, traced);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (std::optional<std::string> note = idle_note(runs[i], plan.runs[i])) {
      made.notes.push_back(std::move(*note));
    }
  }
  made.runs = std::move(runs);
  return made;
}

}  // namespace numatch::cli
