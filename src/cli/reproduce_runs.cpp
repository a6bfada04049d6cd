// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduce_runs.hpp"

#include <fmt/ranges.h>
#include <sys/personality.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "cli/capture.hpp"
#include "cli/output_to_errors.hpp"
#include "cli/simulate_request.hpp"
#include "cli/simulation_progress.hpp"
#include "cli/stop_on_signal.hpp"
#include "pattern/matrix_text.hpp"
#include "profiler/profile_trace.hpp"
#include "sim/simulate.hpp"
#include "trace/reader.hpp"

namespace numatch::cli {

namespace {

namespace fs = std::filesystem;

using reproduce::program_results;
using reproduce::run_facts;
using reproduce::store;
using reproduce::suite_paper;
using reproduce::suite_program;
using reproduce::wanted_run;

/// While it lives, programs that are started lie at the same addresses each time, and have these
/// variables besides.
class same_surroundings {
 public:
  explicit same_surroundings(const std::map<std::string, std::string>& environment)
      : before_(::personality(0xffffffff)) {
    if (before_ != -1) ::personality(static_cast<unsigned long>(before_) | ADDR_NO_RANDOMIZE);
    for (const auto& [name, value] : environment) {
      const char* const old = std::getenv(name.c_str());
      old_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~same_surroundings() {
    if (before_ != -1) ::personality(static_cast<unsigned long>(before_));
    for (const auto& [name, value] : old_) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
  }
  same_surroundings(const same_surroundings&) = delete;
  same_surroundings& operator=(const same_surroundings&) = delete;

 private:
  int before_;
  std::vector<std::pair<std::string, std::optional<std::string>>> old_;
};

/// A run of one program that has to be simulated, and what it is kept under.
struct open_run {
  wanted_run run;
  std::string machine;
  simulate_plan plan;
  std::string description;
};

class reproducing {
 public:
  reproducing(const reproduce_request& request, store kept, std::string build, console& terminal)
      : request_(request), store_(std::move(kept)), build_(std::move(build)), terminal_(terminal) {
    done_.results.of = request.of;
    done_.results.size = request.size;
    done_.results.papers = request.papers;
    done_.results.seed = request.seed;
    if (!request.programs.empty()) {
      std::erase_if(done_.results.of.programs, [&](const suite_program& program) {
        return std::ranges::find(request.programs, program.name) == request.programs.end();
      });
    }
  }

  result<reproduced> run() {
    if (result<void> r = plan(); !r) return tl::unexpected(r.error());
    if (result<void> r = record_all(); !r) return tl::unexpected(r.error());
    if (done_.signal == 0) {
      if (result<void> r = simulate_all(); !r) return tl::unexpected(r.error());
    }
    return std::move(done_);
  }

 private:
  struct machine_run {
    std::string machine;
    wanted_run run;
    simulate_plan plan;
  };

  result<void> plan();
  result<void> record_all();
  result<void> record(const suite_program& program, const signals_held& held);
  result<void> simulate_all();
  result<void> learn_sharing(const stop_on_signal& signals);
  result<void> learn_sharing(const std::string& program, const std::string& detector,
                             bool region_of_interest);
  result<void> find_open(const suite_program& program, std::vector<open_run>& open);
  result<void> simulate(const std::string& program, std::span<const open_run> open,
                        const stop_on_signal& signals, simulation_progress& progress,
                        std::uint64_t& before);

  const reproduce_request& request_;
  store store_;
  std::string build_;  ///< what computes: results of another one are not taken
  console& terminal_;
  std::vector<machine_run> runs_;              ///< of every program, each once
  std::map<std::string, std::string> traces_;  ///< program to the description of its trace
  reproduced done_;
};

/// The runs of all papers, as `numatch simulate` would make them.
result<void> reproducing::plan() {
  for (const suite_paper& paper : request_.of.papers) {
    if (std::ranges::find(request_.papers, paper.name) == request_.papers.end()) continue;
    for (const wanted_run& wanted : reproduce::runs_of(paper)) {
      const bool known = std::ranges::any_of(runs_, [&](const machine_run& other) {
        return other.machine == paper.machine && other.run == wanted;
      });
      if (known) continue;
      simulate_request asked;
      asked.machine = paper.machine;
      asked.settings = request_.size.settings;
      asked.settings.emplace_back("memory.frames=drawn");  // no mapping is lucky with rows
      asked.seed = request_.seed;
      asked.time_scale = request_.size.time_scale;
      asked.only = wanted.half;
      if (!wanted.mechanism.empty()) asked.mechanisms.push_back(wanted.mechanism);
      result<simulate_plan> made = plan_of(asked);
      if (!made) return tl::unexpected(made.error());
      runs_.push_back({paper.machine, wanted, *std::move(made)});
    }
  }
  return {};
}

result<void> reproducing::record_all() {
  const signals_held held;
  for (const suite_program& program : done_.results.of.programs) {
    if (result<void> r = record(program, held); !r) return r;
    if (done_.signal != 0) return {};
  }
  return {};
}

result<void> reproducing::record(const suite_program& program, const signals_held& held) {
  program_results& results = done_.results.programs[program.name];
  const std::vector<std::string> command = reproduce::command_of(program, request_.size);
  const result<std::string> content = reproduce::content_of(command.front());
  if (!content) {
    results.failure = content.error().message();
    return {};
  }
  std::string description =
      fmt::format("trace of {} with {}\n", *content, fmt::join(std::span(command).subspan(1), " "));
  for (const auto& [name, value] : program.environment) {
    description += fmt::format("{}={}\n", name, value);
  }
  traces_[program.name] = description;
  if (store_.has_trace(description)) return {};
  terminal_.note(fmt::format("recording {}", program.name));
  const same_surroundings surroundings(program.environment);
  const output_to_errors redirected;
  const result<int> ended = capture({.output = store_.trace_file(description).string(),
                                     .frontend = "auto",
                                     .filter = {},
                                     .allocations = false,
                                     .command = command},
                                    held, terminal_);
  if (!ended) {
    results.failure = ended.error().message();
  } else if (*ended != 0) {
    for (const int stopped : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      if (*ended == 128 + stopped) done_.signal = stopped;
    }
    results.failure = fmt::format("it ended with code {}", *ended);
  } else {
    ++done_.recorded;
    return store_.keep_trace(description);
  }
  traces_.erase(program.name);
  std::error_code ignored;
  fs::remove(store_.trace_file(description), ignored);
  return {};
}

/// What a run depends on, in words.
std::string describe(const sim::run_options& run, const topology& machine, const std::string& trace,
                     const std::string& build) {
  std::string text = fmt::format("run by {}\n{}machine {}\n", build, trace, machine.name());
  for (const topology::fact& fact : machine.facts()) {
    text += fmt::format("{} = {} {}\n", fact.key, fact.value, fact.unit);
  }
  text += fmt::format("mechanism {} threads {} pages {} seed {} phase {} scale {} roi {}\n",
                      run.mechanism == nullptr ? "none" : run.mechanism->name,
                      static_cast<int>(run.threads), static_cast<int>(run.pages), run.seed,
                      run.phase_cycles, run.time_scale, run.region_of_interest);
  for (const auto& [name, value] : run.parameters) text += fmt::format("{}={}\n", name, value);
  return text;
}

/// Takes what the store has of a program's runs, and lists the others.
result<void> reproducing::find_open(const suite_program& program, std::vector<open_run>& open) {
  const std::string& trace = traces_.at(program.name);
  const result<std::string> content = reproduce::content_of(store_.trace_file(trace));
  if (!content) return tl::unexpected(content.error());
  for (const machine_run& next : runs_) {
    open_run one{next.run, next.machine, next.plan, ""};
    sim::run_options& run = one.plan.runs.back();
    run.region_of_interest = program.region_of_interest;
    one.plan.runs.erase(one.plan.runs.begin(), one.plan.runs.end() - 1);
    one.description = describe(one.plan.runs.front(), one.plan.machine, *content + "\n", build_);
    if (const std::optional<run_facts> facts = store_.run(one.description)) {
      done_.results.programs[program.name].runs[{next.machine, next.run.name()}] = *facts;
      ++done_.stored;
      continue;
    }
    open.push_back(std::move(one));
  }
  return {};
}

result<void> reproducing::simulate_all() {
  std::vector<std::pair<std::string, std::vector<open_run>>> programs;
  std::uint64_t accesses = 0;
  std::size_t runs = 0;
  for (const suite_program& program : done_.results.of.programs) {
    if (!traces_.contains(program.name)) continue;
    std::vector<open_run> open;
    if (result<void> r = find_open(program, open); !r) return r;
    if (open.empty()) continue;
    const result<trace::reader> trace =
        trace::reader::open(store_.trace_file(traces_.at(program.name)));
    if (!trace) {
      done_.results.programs[program.name].failure = trace.error().message();
      continue;
    }
    accesses += trace->accesses() * open.size();
    runs += open.size();
    programs.emplace_back(program.name, std::move(open));
  }
  const stop_on_signal signals;
  simulation_progress progress(terminal_, accesses, runs);
  std::uint64_t before = 0;
  for (const auto& [program, open] : programs) {
    if (result<void> r = simulate(program, open, signals, progress, before); !r) return r;
    if (done_.signal != 0) return {};
  }
  terminal_.clear_progress();
  return learn_sharing(signals);
}

/// The sharing matrices that the papers show, of every program.
result<void> reproducing::learn_sharing(const stop_on_signal& signals) {
  std::vector<std::string> detectors;
  for (const suite_paper& paper : request_.of.papers) {
    if (std::ranges::find(request_.papers, paper.name) == request_.papers.end()) continue;
    for (const std::string& detector : paper.sharing) {
      if (std::ranges::find(detectors, detector) == detectors.end()) detectors.push_back(detector);
    }
  }
  for (const suite_program& program : done_.results.of.programs) {
    if (!traces_.contains(program.name)) continue;
    for (const std::string& detector : detectors) {
      if (result<void> r = learn_sharing(program.name, detector, program.region_of_interest); !r) {
        done_.results.programs[program.name].failed_runs[{"", detector + "'s sharing matrix"}] =
            r.error().message();
      }
      if (signals.signal() != 0) {
        done_.signal = signals.signal();
        return {};
      }
    }
  }
  return {};
}

result<void> reproducing::learn_sharing(const std::string& program, const std::string& detector,
                                        bool region_of_interest) {
  const fs::path file = store_.trace_file(traces_.at(program));
  const result<std::string> content = reproduce::content_of(file);
  if (!content) return tl::unexpected(content.error());
  const std::string description = fmt::format("sharing by {}\n{}\ndetector {} roi {}\n", build_,
                                              *content, detector, region_of_interest);
  std::map<std::string, sharing_matrix>& learned = done_.results.programs[program].sharing;
  if (const std::optional<std::string> text = store_.text(description)) {
    if (result<sharing_matrix> matrix = parse_matrix(*text, description)) {
      learned[detector] = *std::move(matrix);
      return {};
    }
  }
  const result<const mechanism_entry*> wanted = find_mechanism(detector);
  if (!wanted) return tl::unexpected(wanted.error());
  const result<trace::reader> trace = trace::reader::open(file);
  if (!trace) return tl::unexpected(trace.error());
  profile_options options;
  options.replay.region_of_interest = region_of_interest;
  options.objects = false;
  const auto progress = [&](std::uint64_t done, std::uint64_t all) {
    if (all == 0 || !terminal_.shows_progress()) return;
    terminal_.progress(fmt::format("sharing of {} as {} sees it: {:.0f} %", program, detector,
                                   100.0 * static_cast<double>(done) / static_cast<double>(all)));
  };
  const result<profile> found = profile_trace(*trace, **wanted, options, progress);
  terminal_.clear_progress();
  if (!found) return tl::unexpected(found.error());
  learned[detector] = found->sharing;
  return store_.keep_text(description, format_matrix(found->sharing));
}

/// Simulates as many runs at once as there are jobs and keeps each of them before the next ones.
result<void> reproducing::simulate(const std::string& program, std::span<const open_run> open,
                                   const stop_on_signal& signals, simulation_progress& progress,
                                   std::uint64_t& before) {
  program_results& results = done_.results.programs[program];
  const result<trace::reader> trace = trace::reader::open(store_.trace_file(traces_.at(program)));
  if (!trace) return tl::unexpected(trace.error());
  const result<std::unique_ptr<sim::program>> traced = sim::trace_program(*trace);
  if (!traced) {
    results.failure = traced.error().message();
    return {};
  }
  while (!open.empty()) {
    // Runs of one machine can be simulated together.
    std::size_t count = 1;
    while (count < std::min<std::size_t>(request_.jobs, open.size()) &&
           open[count].machine == open[0].machine) {
      ++count;
    }
    std::vector<sim::run_options> together;
    for (const open_run& one : open.first(count)) together.push_back(one.plan.runs.front());
    result<void> fits;
    for (const open_run& one : open.first(count)) {
      if (fits) fits = check_trace(one.plan, *trace);
    }
    if (!fits && count > 1) {  // which one is it?
      together.resize(1);
      count = 1;
      fits = check_trace(open[0].plan, *trace);
    }
    result<std::vector<sim::run_result>> done = tl::unexpected(fits ? error{} : fits.error());
    if (fits) {
      done = sim::simulate(
          open[0].plan.machine, open[0].plan.config, **traced, together, request_.jobs,
          [&](std::uint64_t so_far) { progress(before + so_far); }, signals.stop());
    }
    if (signals.signal() != 0) {
      done_.signal = signals.signal();
      return {};
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::pair<std::string, std::string> key{open[i].machine, open[i].run.name()};
      if (!done) {
        results.failed_runs[key] = done.error().message();
        continue;
      }
      const run_facts facts = reproduce::facts_of((*done)[i]);
      results.runs[key] = facts;
      ++done_.simulated;
      if (result<void> r = store_.keep_run(open[i].description, facts); !r) return r;
    }
    before += trace->accesses() * count;
    open = open.subspan(count);
  }
  return {};
}

}  // namespace

result<reproduced> reproduce_suite(const reproduce_request& request, console& terminal) {
  const result<store> kept = store::open(request.store);
  if (!kept) return tl::unexpected(kept.error());
  const result<std::string> build = reproduce::content_of("/proc/self/exe");
  if (!build) return tl::unexpected(build.error());
  return reproducing(request, *kept, *build, terminal).run();
}

}  // namespace numatch::cli
