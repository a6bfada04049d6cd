// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/live_run.hpp"
#include "cli/system_run.hpp"
#include "cli/verb.hpp"
#include "cli/words.hpp"

namespace numatch {

namespace {

class run_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("-p,--pid", wanted_.pids,
                   "A running process to manage; repeatable, for processes that share memory")
        ->type_name("PID")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->check(CLI::PositiveNumber);
    app.add_option("CMD", wanted_.command, "A program to run and to manage, after --");
    app.add_option("--mechanism", wanted_.options.mechanism,
                   "Who decides: numatch, or a mechanism of numatch mechanisms that needs page "
                   "faults only (spcd, kmaf, mvas-single, ...)")
        ->capture_default_str();
    app.add_option("--param", parameters_,
                   "A parameter of another mechanism, NAME=VALUE; repeatable")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--dry-run", wanted_.options.control.dry_run,
                 "Decide and say what would be done, move nothing");
    add_sensing_options(app);
    app.add_option("--page-rate", wanted_.page_megabytes, "Pages are moved at most so fast, MiB/s")
        ->capture_default_str()
        ->check(CLI::Range(0.1, 1e6));
    app.add_option(
           "--cached", wanted_.options.cached_bytes,
           "A thread that uses no more memory, in bytes, has it in its cache: its pages are "
           "left alone; a core's own cache unless said")
        ->type_name("BYTES");
    app.add_option("--log", wanted_.log, "Write each decision to this file, as a line of JSON")
        ->type_name("FILE");
    app.add_option(
           "--metrics", wanted_.metrics,
           "The state of now as OpenMetrics text: in this file, or at this address over HTTP "
           "(:PORT listens at 127.0.0.1)")
        ->type_name("FILE|[ADDRESS]:PORT");
    app.add_flag("--json", wanted_.json, "Print the summary as JSON");
    add_system_options(app);
  }

  result<int> run(cli::console& terminal) override {
    if (system_) {
      whole_.dry_run = wanted_.options.control.dry_run;
      return cli::run_system(whole_, terminal);
    }
    if (wanted_.pids.empty() == wanted_.command.empty()) {
      return fail("run", "there must be one thing to manage", "give -p PID, or a program after --");
    }
    for (const std::string& given : parameters_) {
      const std::optional<std::pair<std::string, std::string>> named = cli::key_and_value(given);
      if (!named) return fail("--param", fmt::format("'{}' is not NAME=VALUE", given));
      wanted_.options.parameters.insert_or_assign(named->first, named->second);
    }
    return cli::run_live(wanted_, terminal);
  }

 private:
  void add_sensing_options(CLI::App& app) {
    app.add_option("--sensor", wanted_.options.sensor,
                   "What makes uses of memory visible (docs/live.md); auto: the best that works")
        ->capture_default_str();
    app.add_option("--duration", wanted_.options.seconds,
                   "Seconds; until ^C or the program's end unless said")
        ->check(CLI::Range(0.0, 1e9));
    app.add_option("--budget", wanted_.budget_percent,
                   "Share of the program's time that sensing may cost, in %")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 100.0));
    app.add_option("--seed", wanted_.options.sensing.pages.seed, "For the choice of pages")
        ->capture_default_str();
  }

  void add_system_options(CLI::App& app) {
    std::vector<CLI::Option*> of_one_program;
    for (CLI::Option* option : app.get_options()) {
      const std::string name = option->get_name();
      if (name != "--dry-run" && name != "--help") of_one_program.push_back(option);
    }
    CLI::Option* system = app.add_flag(
        "--system", system_,
        "Manage all programs that a configuration names, as a service (docs/service.md)");
    for (CLI::Option* option : of_one_program) system->excludes(option);
    app.add_option("--config", whole_.configuration, "With --system: the configuration")
        ->type_name("FILE")
        ->capture_default_str()
        ->needs(system);
    CLI::Option* act = app.add_flag("--act", whole_.act,
                                    "With --system: move, although the configuration does not say "
                                    "enabled = true");
    act->needs(system)->excludes(app.get_option("--dry-run"));
    app.add_flag("--check", whole_.check,
                 "With --system: read the configuration, say which processes match now, and end")
        ->needs(system);
  }

  cli::run_request wanted_;
  cli::system_request whole_;
  bool system_ = false;
  std::vector<std::string> parameters_;
};

constexpr std::array<cli::example, 5> examples{{
    {"numatch run -- ./app input", "runs a program and places its threads and pages meanwhile"},
    {"numatch run -p 4242 --dry-run --duration 30", "says what it would do for a running program"},
    {"numatch run -p 4242 --log run.jsonl --metrics run.prom",
     "writes down each decision, and the state of now for a monitoring system"},
    {"numatch run --mechanism spcd -- ./app", "lets SPCD decide"},
    {"numatch run --system --config service.toml --check",
     "which running programs would a service with this configuration manage?"},
}};

}  // namespace

extern const verb_entry run_verb;
const verb_entry run_verb{
    "run",
    43,
    "Place a running program's threads and pages while it runs",
    "Watches an unmodified program (-p PID, or CMD after --), finds out which threads share which "
    "memory, and puts threads that share on one NUMA node and pages where they are used. It moves "
    "only where the calculated gain is above the cost, looks whether the share of remote uses "
    "really falls, and takes back what does not help. Affinities, cpusets and memory policies of "
    "the program are respected.\n\n"
    "^C ends the managing; with -p the program goes on. Threads may then run where they could "
    "before, however numatch ends; pages stay where they are. After CMD, the exit code is the "
    "program's, and what was done is told on standard error. docs/run.md says how it decides.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<run_command>()); },
};

}  // namespace numatch
