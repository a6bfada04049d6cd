// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduce_plan.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "profiler/trace_world.hpp"
#include "reproduce/page_sweeps.hpp"

namespace numatch::cli {

namespace {

using reproduce::suite_paper;
using reproduce::wanted_run;

constexpr std::string_view page_size = "page.size";

class planning {
 public:
  explicit planning(const reproduce_request& request) : request_(request) {
    asked_.of = asked_suite(request);
  }

  result<reproduce_plan> all() {
    for (const suite_paper& paper : asked_papers(request_)) {
      if (result<void> r = add(paper); !r) return tl::unexpected(r.error());
    }
    return std::move(plan_);
  }

 private:
  result<void> add(const suite_paper& paper) {
    const std::vector<std::string> programs = reproduce::programs_of(asked_, paper);
    for (const wanted_run& run : reproduce::runs_of(paper, request_.size)) {
      if (result<void> r = add(run, programs); !r) return r;
      if (std::ranges::find(paper.sharing, run.title) != paper.sharing.end() &&
          !can_be_looked_up(run.title)) {
        find(run)->shows_sharing = true;
      }
    }
    for (const reproduce::suite_sweep& sweep : paper.sweeps) {
      std::vector<std::string> swept = programs;
      std::erase_if(swept, [&](const std::string& program) {
        return std::ranges::find(sweep.programs, program) == sweep.programs.end();
      });
      for (const reproduce::sweep_point& point :
           reproduce::points_of(paper, sweep, request_.size)) {
        for (const wanted_run& run : point.runs) {
          if (result<void> r = add(run, swept); !r) return r;
        }
        if (sweep.key == page_size && !point.runs.empty()) {
          plan_.page_sizes[point.value] = find(point.runs[0])->plan.config.page_bytes;
        }
      }
    }
    return {};
  }

  result<void> add(const wanted_run& run, const std::vector<std::string>& programs) {
    planned_run* known = find(run);
    if (known == nullptr) {
      simulate_request asked;
      asked.machine = run.machine;
      asked.settings = run.settings;
      asked.settings.emplace_back("memory.frames=drawn");  // no mapping is lucky with rows
      asked.seed = request_.seed;
      asked.time_scale = run.time_scale;
      asked.only = run.half;
      asked.parameters = run.parameters;
      if (!run.mechanism.empty()) asked.mechanisms.push_back(run.mechanism);
      result<simulate_plan> made = plan_of(asked);
      if (!made) return tl::unexpected(made.error());
      known = &plan_.runs.emplace_back(run, *std::move(made), std::set<std::string>(), false);
    }
    for (const std::string& program : programs) {
      const std::string runs = run.program_for(program);
      if (!runs.empty()) known->programs.insert(runs);
    }
    return {};
  }

  planned_run* find(const wanted_run& run) {
    const std::string key = run.key();
    const auto found = std::ranges::find_if(
        plan_.runs, [&](const planned_run& other) { return other.run.key() == key; });
    return found == plan_.runs.end() ? nullptr : &*found;
  }

  const reproduce_request& request_;
  reproduce::suite_results asked_;
  reproduce_plan plan_;
};

}  // namespace

bool reproduce_plan::needs(const std::string& program) const {
  return std::ranges::any_of(
      runs, [&](const planned_run& run) { return run.programs.contains(program); });
}

result<reproduce_plan> plan_suite(const reproduce_request& request) {
  return planning(request).all();
}

reproduce::suite asked_suite(const reproduce_request& request) {
  reproduce::suite asked = request.of;
  if (request.programs.empty()) return asked;
  std::set<std::string> wanted(request.programs.begin(), request.programs.end());
  for (const suite_paper& paper : request.of.papers) {
    for (const reproduce::suite_run& run : paper.runs) {
      for (const auto& [program, other] : run.instead) {
        if (wanted.contains(program)) wanted.insert(other);
      }
    }
  }
  std::erase_if(asked.programs, [&](const reproduce::suite_program& program) {
    return !wanted.contains(program.name);
  });
  return asked;
}

std::vector<suite_paper> asked_papers(const reproduce_request& request) {
  std::vector<suite_paper> papers = request.of.papers;
  std::erase_if(papers, [&](const suite_paper& paper) {
    return std::ranges::find(request.papers, paper.name) == request.papers.end();
  });
  return papers;
}

bool can_be_looked_up(const std::string& detector) {
  const result<const mechanism_entry*> entry = find_mechanism(detector);
  return entry && check_fit(**entry, offer_of_trace(false));
}

}  // namespace numatch::cli
