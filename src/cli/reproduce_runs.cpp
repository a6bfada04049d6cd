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
#include "cli/reproduce_plan.hpp"
#include "cli/reproduce_programs.hpp"
#include "cli/simulate_request.hpp"
#include "cli/simulation_progress.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/trace_looks.hpp"
#include "pattern/matrix_text.hpp"
#include "reproduce/page_sweeps.hpp"
#include "sim/simulate_seen.hpp"
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

/// While it lives, programs that are started lie at the same addresses each time, have these
/// variables besides, and run in the folder, where one is named.
class same_surroundings {
 public:
  same_surroundings(const std::map<std::string, std::string>& environment, const fs::path& folder)
      : before_(::personality(0xffffffff)), folder_(fs::current_path(ignored_)) {
    if (!folder.empty()) fs::current_path(folder, ignored_);
    if (before_ != -1) ::personality(static_cast<unsigned long>(before_) | ADDR_NO_RANDOMIZE);
    for (const auto& [name, value] : environment) {
      const char* const old = std::getenv(name.c_str());
      old_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~same_surroundings() {
    fs::current_path(folder_, ignored_);
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
  std::error_code ignored_;
  int before_;
  fs::path folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> old_;
};

/// A run of one program that has to be simulated, and what it is kept under.
struct open_run {
  std::vector<wanted_run> runs;  ///< more than one where they say the same in other words
  simulate_plan plan;
  std::string description;
  bool shows_sharing = false;
};

/// What is counted in a run is kept beside it.
std::string sharing_of(const std::string& description) {
  return "what is shared at the end of a " + description;
}

bool shows_exclusivity(const reproduce::suite_sweep& sweep, const std::string& program) {
  return std::ranges::find(sweep.quantities, reproduce::quantity::exclusivity) !=
             sweep.quantities.end() &&
         std::ranges::find(sweep.programs, program) != sweep.programs.end();
}

/// Whether both can be simulated together: on one machine.
bool go_together(const open_run& one, const open_run& other) {
  return one.runs[0].machine == other.runs[0].machine && one.plan.settings == other.plan.settings;
}

class reproducing {
 public:
  reproducing(const reproduce_request& request, store kept, std::string build, console& terminal)
      : request_(request),
        store_(std::move(kept)),
        build_(std::move(build)),
        terminal_(terminal),
        source_(request_.of, request_.size, request_.sources, request_.store, build_, terminal) {
    done_.results.of = asked_suite(request);
    done_.results.size = request.size;
    done_.results.papers = request.papers;
    done_.results.seed = request.seed;
  }

  result<reproduced> run() {
    result<reproduce_plan> made = plan_suite(request_);
    if (!made) return tl::unexpected(made.error());
    plan_ = *std::move(made);
    if (result<void> r = record_all(); !r) return tl::unexpected(r.error());
    if (done_.signal == 0) {
      if (result<void> r = simulate_all(); !r) return tl::unexpected(r.error());
    }
    return std::move(done_);
  }

 private:
  result<void> record_all();
  result<void> record(const suite_program& program, const signals_held& held);
  result<int> record(const found_program& found, const fs::path& folder, const signals_held& held);
  result<void> simulate_all();
  void look(const stop_on_signal& signals);
  bool stopped(const stop_on_signal& signals);
  template <class Look>
  void look(const suite_program& program, const std::string& title, const Look& look);
  bool take_stored(const std::string& program, const open_run& run);
  result<void> find_open(const suite_program& program, std::vector<open_run>& open);
  result<void> simulate(const std::string& program, std::span<const open_run> open,
                        const stop_on_signal& signals, simulation_progress& progress,
                        std::uint64_t& before);

  const reproduce_request& request_;
  store store_;
  std::string build_;  ///< what computes: results of another one are not taken
  console& terminal_;
  program_source source_;
  reproduce_plan plan_;
  std::map<std::string, std::string> traces_;  ///< program to the description of its trace
  reproduced done_;
};

result<void> reproducing::record_all() {
  const signals_held held;
  for (const suite_program& program : done_.results.of.programs) {
    if (!plan_.needs(program.name)) continue;
    if (result<void> r = record(program, held); !r) return r;
    if (done_.signal != 0) return {};
  }
  return {};
}

result<void> reproducing::record(const suite_program& program, const signals_held& held) {
  program_results& results = done_.results.programs[program.name];
  const result<found_program> found = source_.find(program);
  if (!found) {
    results.failure = found.error().message();
    return {};
  }
  const std::string& description = found->description;
  if (store_.has_trace(description)) {
    traces_[program.name] = description;
    return {};
  }
  fs::path folder;
  if (program_source::has_folder(program)) {
    result<fs::path> made = source_.make_input(program);
    if (!made) {
      results.failure = made.error().message();
      return {};
    }
    folder = *std::move(made);
  }
  terminal_.note(fmt::format("recording {}", program.name));
  const result<int> ended = record(*found, folder, held);
  std::error_code ignored;
  if (!folder.empty()) fs::remove_all(folder, ignored);
  if (!ended) {
    results.failure = ended.error().message();
  } else if (*ended != 0) {
    for (const int stopped : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      if (*ended == 128 + stopped) done_.signal = stopped;
    }
    results.failure = fmt::format("it ended with code {}", *ended);
  } else {
    ++done_.recorded;
    traces_[program.name] = description;
    return store_.keep_trace(description);
  }
  fs::remove(store_.trace_file(description), ignored);
  return {};
}

result<int> reproducing::record(const found_program& found, const fs::path& folder,
                                const signals_held& held) {
  const fs::path trace = fs::absolute(store_.trace_file(found.description));
  const same_surroundings surroundings(found.environment, folder);
  const output_to_errors redirected;
  return capture({.output = trace.string(),
                  .frontend = "auto",
                  .filter = {},
                  .allocations = false,
                  .command = found.command},
                 held, terminal_);
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

/// Takes a run from the store; false where it or a part of it is not there.
bool reproducing::take_stored(const std::string& program, const open_run& run) {
  const std::optional<run_facts> facts = store_.run(run.description);
  if (!facts) return false;
  program_results& results = done_.results.programs[program];
  const std::string key = run.runs[0].key();
  if (run.shows_sharing) {
    const std::optional<std::string> text = store_.text(sharing_of(run.description));
    if (!text) return false;
    result<sharing_matrix> seen = parse_matrix(*text, run.description);
    if (!seen) return false;
    results.seen[key] = *std::move(seen);
  }
  results.runs[key] = *facts;
  return true;
}

/// Takes what the store has of a program's runs, and lists the others.
result<void> reproducing::find_open(const suite_program& program, std::vector<open_run>& open) {
  const std::string& trace = traces_.at(program.name);
  const result<std::string> content = reproduce::content_of(store_.trace_file(trace));
  if (!content) return tl::unexpected(content.error());
  for (const planned_run& next : plan_.runs) {
    if (!next.programs.contains(program.name)) continue;
    open_run one{{next.run}, next.plan, "", next.shows_sharing};
    sim::run_options& run = one.plan.runs.back();
    run.region_of_interest = next.run.region_of_interest.value_or(program.region_of_interest);
    one.plan.runs.erase(one.plan.runs.begin(), one.plan.runs.end() - 1);
    one.description = describe(one.plan.runs.front(), one.plan.machine, *content + "\n", build_);
    if (take_stored(program.name, one)) {
      ++done_.stored;
      continue;
    }
    const auto same = std::ranges::find(open, one.description, &open_run::description);
    if (same != open.end()) {
      same->runs.push_back(next.run);
      same->shows_sharing = same->shows_sharing || next.shows_sharing;
    } else {
      open.push_back(std::move(one));
    }
  }
  return {};
}

result<void> reproducing::simulate_all() {
  std::vector<std::pair<std::string, std::vector<open_run>>> programs;
  std::uint64_t accesses = 0;
  std::size_t runs = 0;
  for (const suite_program& program : done_.results.of.programs) {
    if (!traces_.contains(program.name)) continue;
    const result<trace::reader> trace =
        trace::reader::open(store_.trace_file(traces_.at(program.name)));
    if (!trace) {
      done_.results.programs[program.name].failure = trace.error().message();
      continue;
    }
    done_.results.programs[program.name].counts_instructions =
        trace->metadata().counts_instructions;
    std::vector<open_run> open;
    if (result<void> r = find_open(program, open); !r) return r;
    if (open.empty()) continue;
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
  look(signals);
  return {};
}

/// What the papers show of a program itself; one that fails is said, like a run.
template <class Look>
void reproducing::look(const suite_program& program, const std::string& title, const Look& look) {
  const recorded_program recorded{program.name, store_.trace_file(traces_.at(program.name)),
                                  program.region_of_interest};
  if (result<void> r = look(recorded); !r) {
    done_.results.programs[program.name].failed_looks[title] = {title, r.error().message()};
  }
}

/// The sharing matrices and exclusivity levels that the papers show.
void reproducing::look(const stop_on_signal& signals) {
  const trace_looks looks(store_, build_, terminal_);
  for (const suite_paper& paper : asked_papers(request_)) {
    for (const suite_program& program : done_.results.of.programs) {
      if (!traces_.contains(program.name) || !reproduce::has_program(paper, program.name)) continue;
      program_results& results = done_.results.programs[program.name];
      for (const std::string& detector : paper.sharing) {
        if (results.sharing.contains(detector) || !can_be_looked_up(detector)) continue;
        look(program, detector + "'s sharing matrix", [&](const recorded_program& recorded) {
          return looks.sharing(recorded, detector).map([&](sharing_matrix found) {
            results.sharing[detector] = std::move(found);
          });
        });
        if (stopped(signals)) return;
      }
      for (const reproduce::suite_sweep& sweep : paper.sweeps) {
        if (!shows_exclusivity(sweep, program.name)) continue;
        for (const reproduce::sweep_point& point :
             reproduce::points_of(paper, sweep, request_.size)) {
          look(program, "exclusivity", [&](const recorded_program& recorded) {
            return looks.exclusivity(recorded, plan_.page_sizes.at(point.value))
                .map([&](double level) { results.exclusivity[point.value] = level; });
          });
          if (stopped(signals)) return;
        }
      }
    }
  }
}

bool reproducing::stopped(const stop_on_signal& signals) {
  done_.signal = signals.signal();
  return done_.signal != 0;
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
           go_together(open[count], open[0])) {
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
    result<std::vector<sim::seen_run>> done = tl::unexpected(fits ? error{} : fits.error());
    if (fits) {
      done = sim::simulate_seen(
          open[0].plan.machine, open[0].plan.config, **traced, together, request_.jobs,
          [&](std::uint64_t so_far) { progress(before + so_far); }, signals.stop());
    }
    if (signals.signal() != 0) {
      done_.signal = signals.signal();
      return {};
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!done) {
        for (const wanted_run& run : open[i].runs) {
          results.failed_runs[run.key()] = {run.title, done.error().message()};
        }
        continue;
      }
      const run_facts facts = reproduce::facts_of((*done)[i].run);
      for (const wanted_run& run : open[i].runs) {
        results.runs[run.key()] = facts;
        if (open[i].shows_sharing) results.seen[run.key()] = (*done)[i].sharing;
      }
      ++done_.simulated;
      if (open[i].shows_sharing) {
        const std::string text = format_matrix((*done)[i].sharing);
        if (result<void> r = store_.keep_text(sharing_of(open[i].description), text); !r) return r;
      }
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
