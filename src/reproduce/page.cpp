// SPDX-License-Identifier: Apache-2.0
#include "reproduce/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanism/mechanism.hpp"

namespace numatch::reproduce {

namespace {

/// A program whose baseline has less traffic per instruction than this part of the median's.
constexpr double little_traffic = 0.1;

using value = std::optional<double>;

/// The runs of one paper, program by program.
class paper_values {
 public:
  paper_values(const suite_results& results, const suite_paper& paper)
      : results_(results), paper_(paper) {}

  const run_facts* facts(const std::string& program, const std::string& run) const {
    const auto of = results_.programs.find(program);
    if (of == results_.programs.end()) return nullptr;
    const auto found = of->second.runs.find({paper_.machine, run});
    return found == of->second.runs.end() ? nullptr : &found->second;
  }

  value of(const std::string& program, const std::string& run, quantity what) const {
    const run_facts* const baseline = facts(program, "baseline");
    const run_facts* const own = facts(program, run);
    if (baseline == nullptr || own == nullptr) return std::nullopt;
    return value_of(what, *own, *baseline);
  }

  /// Geometric where the quantity is a quotient, else arithmetic; over the programs that have it.
  value mean(const std::vector<std::string>& programs, const std::string& run,
             quantity what) const {
    const bool relative = entry_of(what).relative;
    double sum = 0;
    std::size_t count = 0;
    for (const std::string& program : programs) {
      const value one = of(program, run, what);
      if (!one || (relative && *one <= 0)) continue;
      sum += relative ? std::log(*one) : *one;
      ++count;
    }
    if (count == 0) return std::nullopt;
    const double average = sum / static_cast<double>(count);
    return relative ? std::exp(average) : average;
  }

  /// Programs that have more than a little traffic in their baseline.
  std::vector<std::string> with_traffic(const std::vector<std::string>& programs) const {
    std::vector<std::pair<double, std::string>> rates;
    for (const std::string& program : programs) {
      const run_facts* const baseline = facts(program, "baseline");
      if (baseline == nullptr || baseline->instructions == 0) continue;
      rates.emplace_back(static_cast<double>(baseline->traffic_bytes) /
                             static_cast<double>(baseline->instructions),
                         program);
    }
    if (rates.empty()) return {};
    std::vector<std::pair<double, std::string>> sorted = rates;
    std::ranges::sort(sorted);
    const double least = little_traffic * sorted[sorted.size() / 2].first;
    std::vector<std::string> kept;
    for (const auto& [rate, program] : rates) {
      if (rate >= least) kept.push_back(program);
    }
    return kept;
  }

 private:
  const suite_results& results_;
  const suite_paper& paper_;
};

/// In percent: the change for a quotient, the share as it is.
value in_percent(value of, bool relative) {
  if (!of) return std::nullopt;
  return 100 * (relative ? *of - 1 : *of);
}

std::vector<std::string> names_of(const suite& of) {
  std::vector<std::string> names;
  for (const suite_program& program : of.programs) names.push_back(program.name);
  return names;
}

page_table table_of(const suite_results& results, const suite_paper& paper, quantity what) {
  const paper_values values(results, paper);
  const bool relative = entry_of(what).relative;
  const std::vector<std::string> programs = names_of(results.of);
  page_table table;
  table.what = what;
  table.relative = relative;
  std::vector<std::string> runs;
  for (const wanted_run& run : runs_of(paper)) {
    // The baseline has no change against itself, and no hardware of its own.
    if (run.mechanism.empty() && what != quantity::remote_share) continue;
    runs.push_back(run.name());
  }
  table.columns = runs;
  for (const std::string& program : programs) {
    page_row row{program, {}, false};
    const auto found = results.programs.find(program);
    const bool failed = found == results.programs.end() || !found->second.failure.empty();
    for (const std::string& run : runs) {
      const bool run_failed = !failed && found->second.failed_runs.contains({paper.machine, run});
      row.cells.push_back({in_percent(values.of(program, run, what), relative),
                           failed || run_failed ? "failed" : "–"});
    }
    table.rows.push_back(std::move(row));
  }
  const auto add_mean = [&](std::string title, const std::vector<std::string>& over) {
    page_row row{std::move(title), {}, true};
    for (const std::string& run : runs) {
      row.cells.push_back({in_percent(values.mean(over, run, what), relative), "–"});
    }
    table.rows.push_back(std::move(row));
  };
  add_mean(relative ? "geometric mean" : "mean", programs);
  if (what == quantity::traffic) {
    const std::vector<std::string> kept = values.with_traffic(programs);
    if (kept.size() < programs.size() && !kept.empty()) {
      add_mean(fmt::format("of {}", fmt::join(kept, " ")), kept);
    }
  }
  return table;
}

page_figure figure_of(const suite_results& results, const suite_paper& paper,
                      const published_figure& published) {
  const paper_values values(results, paper);
  const bool relative = entry_of(published.what).relative;
  page_figure figure;
  figure.published = published;
  const std::vector<std::string> programs = names_of(results.of);
  if (published.over == over_mean) {
    figure.ours = in_percent(values.mean(programs, published.mechanism, published.what), relative);
  } else if (published.over == over_best) {
    for (const std::string& program : programs) {
      const value one =
          in_percent(values.of(program, published.mechanism, published.what), relative);
      if (one && (!figure.ours || *one < *figure.ours)) {
        figure.ours = one;
        figure.of = program;
      }
    }
  } else {
    figure.ours =
        in_percent(values.of(published.over, published.mechanism, published.what), relative);
  }
  return figure;
}

std::vector<page_matrix> matrices_of(const suite_results& results, const suite_paper& paper) {
  std::vector<page_matrix> matrices;
  for (const suite_program& program : results.of.programs) {
    const auto found = results.programs.find(program.name);
    if (found == results.programs.end()) continue;
    const std::map<std::string, sharing_matrix>& sharing = found->second.sharing;
    const auto oracle = sharing.find("oracle");
    for (const std::string& detector : paper.sharing) {
      const auto seen = sharing.find(detector);
      if (seen == sharing.end()) continue;
      page_matrix next{program.name, detector, seen->second, std::nullopt};
      if (oracle != sharing.end() && oracle->second.size() == seen->second.size()) {
        next.like_oracle = correlation(oracle->second, seen->second);
      }
      matrices.push_back(std::move(next));
    }
  }
  return matrices;
}

void add_failures(const suite_results& results, const suite_paper& paper, page_paper& to) {
  for (const suite_program& program : results.of.programs) {
    const auto found = results.programs.find(program.name);
    if (found == results.programs.end()) continue;
    if (!found->second.failure.empty()) {
      to.notes.push_back(fmt::format("{} failed: {}.", program.name, found->second.failure));
    }
    for (const auto& [key, reason] : found->second.failed_runs) {
      if (!key.first.empty() && key.first != paper.machine) continue;
      to.notes.push_back(fmt::format("{} under {} failed: {}.", program.name, key.second, reason));
    }
  }
}

/// Whether it moves anything while a program runs, and does not only place it at the start.
bool decides(const std::string& mechanism) {
  const result<const mechanism_entry*> entry = find_mechanism(mechanism);
  if (!entry) return false;
  return std::ranges::any_of((*entry)->acts, [](action_kind action) {
    return action == action_kind::move_threads || action == action_kind::move_pages ||
           action == action_kind::replicate_pages;
  });
}

/// Mechanisms that decided nothing gain nothing, which says nothing about them.
void add_idle(const suite_results& results, const suite_paper& paper, page_paper& to) {
  for (const std::string& mechanism : paper.mechanisms) {
    if (!decides(mechanism)) continue;
    std::vector<std::string> idle;
    for (const suite_program& program : results.of.programs) {
      const run_facts* const facts = paper_values(results, paper).facts(program.name, mechanism);
      if (facts != nullptr && facts->decisions == 0) idle.push_back(program.name);
    }
    if (idle.empty()) continue;
    to.notes.push_back(fmt::format("{} decided nothing in the short runs of {}.", mechanism,
                                   fmt::join(idle, ", ")));
  }
}

}  // namespace

std::string cell_text(const page_cell& cell, bool relative) {
  if (!cell.percent) return cell.instead;
  return relative ? fmt::format("{:+.1f} %", *cell.percent)
                  : fmt::format("{:.2f} %", *cell.percent);
}

page page_of(const suite_results& results) {
  page made;
  made.title = fmt::format("Suite {}, class {}", results.of.name, results.size.name);
  made.notes.push_back("All figures of ours are simulated; published ones are the papers'.");
  made.notes.push_back(
      "Changes are against the baseline of the paper's machine; less is better, except for "
      "shares.");
  if (results.size.time_scale != 1) {
    made.notes.push_back(
        fmt::format("The mechanisms' intervals are {} times shorter than stated; software is given "
                    "at the unscaled rate.",
                    results.size.time_scale));
  }
  if (!results.size.settings.empty()) {
    made.notes.push_back(
        fmt::format("The machine is smaller: {}.", fmt::join(results.size.settings, ", ")));
  }
  if (!results.size.note.empty()) made.notes.push_back(results.size.note);
  made.notes.push_back(fmt::format("Seed {}.", results.seed));
  for (const suite_paper& paper : results.of.papers) {
    if (std::ranges::find(results.papers, paper.name) == results.papers.end()) continue;
    page_paper next;
    next.name = paper.name;
    next.title = paper.title;
    next.machine = paper.machine;
    if (!paper.note.empty()) next.notes.push_back(paper.note);
    add_failures(results, paper, next);
    add_idle(results, paper, next);
    for (const quantity what : paper.tables) {
      next.tables.push_back(table_of(results, paper, what));
    }
    for (const published_figure& published : paper.figures) {
      next.figures.push_back(figure_of(results, paper, published));
    }
    next.matrices = matrices_of(results, paper);
    made.papers.push_back(std::move(next));
  }
  return made;
}

}  // namespace numatch::reproduce
