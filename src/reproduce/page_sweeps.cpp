// SPDX-License-Identifier: Apache-2.0
#include "reproduce/page_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace numatch::reproduce {

namespace {

using line = page_sweep_table::line;

std::optional<double> shown(std::optional<double> of, const quantity_entry& entry) {
  if (!of || !entry.in_tables) return of;
  return 100 * (entry.relative ? *of - 1 : *of);
}

/// The values of one run over the points.
line line_of(const suite_results& results, const std::string& program, std::size_t run,
             const std::vector<sweep_point>& points, const quantity_entry& entry) {
  line made{program, points.front().runs[run].title, {}};
  for (const sweep_point& point : points) {
    const run_facts* const baseline = facts_of(results, program, point.runs.front());
    const run_facts* const own = facts_of(results, program, point.runs[run]);
    if (baseline == nullptr || own == nullptr) {
      made.values.emplace_back();
    } else {
      made.values.push_back(shown(value_of(entry.what, *own, *baseline), entry));
    }
  }
  return made;
}

line exclusivity_of(const suite_results& results, const std::string& program,
                    const std::vector<sweep_point>& points) {
  line made{program, "", {}};
  const auto found = results.programs.find(program);
  for (const sweep_point& point : points) {
    std::optional<double> level;
    if (found != results.programs.end()) {
      const auto at = found->second.exclusivity.find(point.value);
      if (at != found->second.exclusivity.end()) level = at->second;
    }
    made.values.push_back(level);
  }
  return made;
}

page_sweep_table table_of(const suite_results& results, const std::vector<std::string>& programs,
                          const std::vector<sweep_point>& points, const quantity_entry& entry) {
  page_sweep_table table;
  table.what = entry.what;
  for (const std::string& program : programs) {
    if (entry.what == quantity::exclusivity) {
      table.lines.push_back(exclusivity_of(results, program, points));
      continue;
    }
    // The baseline has no change against itself.
    for (std::size_t run = entry.relative ? 1 : 0; run < points.front().runs.size(); ++run) {
      table.lines.push_back(line_of(results, program, run, points, entry));
    }
  }
  return table;
}

}  // namespace

bool has_program(const suite_paper& paper, const std::string& program) {
  return paper.programs.empty() ||
         std::ranges::find(paper.programs, program) != paper.programs.end();
}

std::vector<std::string> programs_of(const suite_results& results, const suite_paper& paper) {
  std::vector<std::string> names;
  for (const suite_program& program : results.of.programs) {
    if (has_program(paper, program.name)) names.push_back(program.name);
  }
  return names;
}

const run_facts* facts_of(const suite_results& results, const std::string& program,
                          const wanted_run& run) {
  const auto of = results.programs.find(run.program_for(program));
  if (of == results.programs.end()) return nullptr;
  const auto found = of->second.runs.find(run.key());
  return found == of->second.runs.end() ? nullptr : &found->second;
}

std::vector<page_sweep> sweeps_of(const suite_results& results, const suite_paper& paper) {
  std::vector<page_sweep> made;
  for (const suite_sweep& sweep : paper.sweeps) {
    const std::vector<sweep_point> points = points_of(paper, sweep, results.size);
    std::vector<std::string> programs = programs_of(results, paper);
    std::erase_if(programs, [&](const std::string& program) {
      return std::ranges::find(sweep.programs, program) == sweep.programs.end();
    });
    if (points.empty() || points.front().runs.empty() || programs.empty()) continue;
    page_sweep next;
    next.title = sweep.title;
    next.key = sweep.key;
    for (const sweep_point& point : points) next.points.push_back(point.value);
    if (!sweep.note.empty()) next.notes.push_back(sweep.note);
    for (const auto& [key, values] : sweep.with) {
      std::string beside = fmt::format("With it {}:", key);
      for (std::size_t i = 0; i < values.size(); ++i) {
        beside += fmt::format("{} {}", i == 0 ? "" : ",", values[i]);
      }
      next.notes.push_back(beside + ".");
    }
    for (const quantity what : sweep.quantities) {
      next.tables.push_back(table_of(results, programs, points, entry_of(what)));
    }
    made.push_back(std::move(next));
  }
  return made;
}

}  // namespace numatch::reproduce
