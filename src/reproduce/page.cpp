// SPDX-License-Identifier: Apache-2.0
#include "reproduce/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "mechanism/mechanism.hpp"
#include "reproduce/page_sweeps.hpp"

namespace numatch::reproduce {

namespace {

/// A program whose baseline has less traffic per instruction than this part of the median's.
constexpr double little_traffic = 0.1;

using value = std::optional<double>;

/// The runs of one paper, program by program.
class paper_values {
 public:
  paper_values(const suite_results& results, const suite_paper& paper)
      : results_(results), paper_(paper), runs_(runs_of(paper, results.size)) {}

  const std::vector<wanted_run>& runs() const { return runs_; }

  const wanted_run* run(std::string_view title) const {
    const auto found = std::ranges::find(runs_, title, &wanted_run::title);
    return found == runs_.end() ? nullptr : &*found;
  }

  const run_facts* facts(const std::string& program, std::string_view title) const {
    const wanted_run* const wanted = run(title);
    return wanted == nullptr ? nullptr : facts_of(results_, program, *wanted);
  }

  value of(const std::string& program, const std::string& title, quantity what) const {
    const run_facts* const baseline =
        paper_.against.empty() ? facts(program, "baseline") : facts(paper_.against, title);
    const run_facts* const own = facts(program, title);
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
  std::vector<wanted_run> runs_;
};

/// In percent: the change for a quotient, the share as it is.
value in_percent(value of, bool relative) {
  if (!of) return std::nullopt;
  return 100 * (relative ? *of - 1 : *of);
}

bool has_failed(const suite_results& results, const wanted_run& run, const std::string& program) {
  const auto of = results.programs.find(run.program_for(program));
  if (of == results.programs.end()) return false;
  return !of->second.failure.empty() || of->second.failed_runs.contains(run.key());
}

page_table table_of(const suite_results& results, const suite_paper& paper, quantity what) {
  const paper_values values(results, paper);
  const bool relative = entry_of(what).relative;
  const std::vector<std::string> programs = programs_of(results, paper);
  page_table table;
  table.what = what;
  table.relative = relative;
  std::vector<std::string> runs;
  for (const wanted_run& run : values.runs()) {
    // The baseline has no change against itself, and no hardware of its own.
    if (run.title == "baseline" && what != quantity::remote_share && what != quantity::tlb_misses) {
      continue;
    }
    runs.push_back(run.title);
  }
  table.columns = runs;
  for (const std::string& program : programs) {
    page_row row{program, {}, false};
    const auto found = results.programs.find(program);
    const bool failed = found == results.programs.end() || !found->second.failure.empty();
    for (const std::string& run : runs) {
      const bool run_failed = !failed && has_failed(results, *values.run(run), program);
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
  if (!paper.against.empty()) return table;
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
  const std::vector<std::string> programs = programs_of(results, paper);
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

std::size_t pairs_of(const sharing_matrix& sharing) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs += sharing.between(i, j) > 0 ? 1 : 0;
  }
  return pairs;
}

/// What a detector counted in the recorded accesses, or else what its run counted to its end.
const sharing_matrix* sharing_as_seen(const program_results& results, const paper_values& values,
                                      const std::string& detector) {
  const auto recorded = results.sharing.find(detector);
  if (recorded != results.sharing.end()) return &recorded->second;
  const wanted_run* const run = values.run(detector);
  if (run == nullptr) return nullptr;
  const auto seen = results.seen.find(run->key());
  return seen == results.seen.end() ? nullptr : &seen->second;
}

std::vector<page_matrix> matrices_of(const suite_results& results, const suite_paper& paper) {
  const paper_values values(results, paper);
  std::vector<page_matrix> matrices;
  for (const std::string& program : programs_of(results, paper)) {
    const auto found = results.programs.find(program);
    if (found == results.programs.end()) continue;
    const sharing_matrix* const oracle = sharing_as_seen(found->second, values, "oracle");
    for (const std::string& detector : paper.sharing) {
      const sharing_matrix* const seen = sharing_as_seen(found->second, values, detector);
      if (seen == nullptr) continue;
      page_matrix next{program, detector, *seen, std::nullopt, pairs_of(*seen)};
      if (oracle != nullptr && oracle->size() == seen->size()) {
        next.like_oracle = correlation(*oracle, *seen);
      }
      matrices.push_back(std::move(next));
    }
  }
  return matrices;
}

/// Cycles per instruction mean little where nobody counted instructions.
void add_uncounted(const suite_results& results, const suite_paper& paper, page_paper& to) {
  std::vector<std::string> uncounted;
  for (const std::string& program : programs_of(results, paper)) {
    const auto found = results.programs.find(program);
    if (found == results.programs.end() || found->second.counts_instructions) continue;
    uncounted.push_back(program);
  }
  if (uncounted.empty()) return;
  to.notes.push_back(
      fmt::format("Each access of {} is taken for one instruction.", fmt::join(uncounted, ", ")));
}

/// The keys of all runs that the paper shows.
std::set<std::string> keys_of(const suite_results& results, const suite_paper& paper) {
  std::set<std::string> keys;
  for (const wanted_run& run : runs_of(paper, results.size)) keys.insert(run.key());
  for (const suite_sweep& sweep : paper.sweeps) {
    for (const sweep_point& point : points_of(paper, sweep, results.size)) {
      for (const wanted_run& run : point.runs) keys.insert(run.key());
    }
  }
  return keys;
}

void add_failures(const suite_results& results, const suite_paper& paper, page_paper& to) {
  const std::set<std::string> keys = keys_of(results, paper);
  for (const std::string& program : programs_of(results, paper)) {
    const auto found = results.programs.find(program);
    if (found == results.programs.end()) continue;
    const auto add = [&](const failed_run& failed) {
      to.notes.push_back(
          fmt::format("{} under {} failed: {}.", program, failed.title, failed.reason));
    };
    if (!found->second.failure.empty()) {
      to.notes.push_back(fmt::format("{} failed: {}.", program, found->second.failure));
    }
    for (const auto& [key, failed] : found->second.failed_runs) {
      if (keys.contains(key)) add(failed);
    }
    for (const auto& [key, failed] : found->second.failed_looks) add(failed);
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
  const paper_values values(results, paper);
  for (const wanted_run& run : values.runs()) {
    if (run.mechanism.empty() || !run.half.empty() || !decides(run.mechanism)) continue;
    if (std::ranges::find(run.parameters, "act-on=none") != run.parameters.end()) continue;
    std::vector<std::string> idle;
    for (const std::string& program : programs_of(results, paper)) {
      const run_facts* const facts = values.facts(program, run.title);
      if (facts != nullptr && facts->decisions == 0) idle.push_back(program);
    }
    if (idle.empty()) continue;
    to.notes.push_back(fmt::format("{} decided nothing in the short runs of {}.", run.title,
                                   fmt::join(idle, ", ")));
  }
}

/// What a class makes smaller, and why.
void add_scaling(const suite_class& size, std::vector<std::string>& notes) {
  if (size.time_scale != 1) {
    notes.push_back(
        fmt::format("The mechanisms' intervals are {} times shorter than stated; software is given "
                    "at the unscaled rate.",
                    size.time_scale));
  }
  if (!size.settings.empty()) {
    notes.push_back(fmt::format("The machine is smaller: {}.", fmt::join(size.settings, ", ")));
  }
  if (!size.note.empty()) notes.push_back(size.note);
}

}  // namespace

std::string cell_text(const page_cell& cell, bool relative) {
  if (!cell.percent) return cell.instead;
  return relative ? fmt::format("{:+.1f} %", *cell.percent)
                  : fmt::format("{:.2f} %", *cell.percent);
}

std::string value_text(std::optional<double> of, quantity what) {
  if (!of) return "–";
  const quantity_entry& entry = entry_of(what);
  return entry.in_tables ? cell_text({of, ""}, entry.relative) : fmt::format("{:.2f}", *of);
}

page page_of(const suite_results& results) {
  page made;
  made.title = fmt::format("Suite {}, class {}", results.of.name, results.size.name);
  made.notes.push_back("All figures of ours are simulated; published ones are the papers'.");
  made.notes.push_back(
      "Changes are against the baseline of the paper's machine; less is better, except for "
      "shares.");
  add_scaling(results.size, made.notes);
  made.notes.push_back(fmt::format("Seed {}.", results.seed));
  for (const suite_paper& paper : results.of.papers) {
    if (std::ranges::find(results.papers, paper.name) == results.papers.end()) continue;
    page_paper next;
    next.name = paper.name;
    next.title = paper.title;
    next.machine = paper.machine;
    if (!paper.note.empty()) next.notes.push_back(paper.note);
    const suite_class& size = size_for(paper, results.size);
    if (&size != &results.size) {
      next.notes.emplace_back("Instead of what is said above, of this paper's runs:");
      add_scaling(size, next.notes);
    }
    add_failures(results, paper, next);
    add_idle(results, paper, next);
    add_uncounted(results, paper, next);
    for (const quantity what : paper.tables) {
      next.tables.push_back(table_of(results, paper, what));
    }
    for (const published_figure& published : paper.figures) {
      next.figures.push_back(figure_of(results, paper, published));
    }
    next.matrices = matrices_of(results, paper);
    next.sweeps = sweeps_of(results, paper);
    made.papers.push_back(std::move(next));
  }
  return made;
}

}  // namespace numatch::reproduce
