// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "cli/compare_text.hpp"
#include "cli/verb.hpp"
#include "cli/words.hpp"
#include "compare/allowed_pus.hpp"
#include "compare/live_runner.hpp"
#include "live/sensor.hpp"
#include "live/system_facts.hpp"

namespace numatch {

namespace {

std::string method_names() {
  std::vector<std::string> names;
  for (const compare::method& m : compare::usual_methods()) names.push_back(m.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

class compare_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("-n,--runs", plan_.runs, "Runs of each method")
        ->check(CLI::Range(std::size_t{2}, std::size_t{100000}))
        ->capture_default_str();
    app.add_option("--seed", plan_.seed, "Seed of the order and of the random places")
        ->capture_default_str();
    app.add_option("--with", with_,
                   "Mappings of `numatch map -o`, or profiles, to compare, too; between commas")
        ->type_name("FILES");
    app.add_option("--only", only_,
                   "Of the methods only these, beside the default: " + method_names())
        ->type_name("NAMES");
    app.add_flag("--check-output", check_output_, "Stop when a run prints something else");
    app.add_flag("--json", json_, "Write JSON");
    app.add_option("CMD", command_, "The program and its arguments, after --")->required();
  }

  result<int> run(cli::console& terminal) override {
    const result<topology> machine = topology::load("live");
    if (!machine) return tl::unexpected(machine.error());
    const result<live::cpu_mask> allowed = live::cpu_mask::of_task(0);
    if (!allowed) return tl::unexpected(allowed.error());
    result<std::vector<compare::method>> methods = chosen_methods();
    if (!methods) return tl::unexpected(methods.error());

    compare::situation here{*machine, *allowed};
    compare::live_runner runner(command_, check_output_);
    if (const result<void> ready = look_around(here, *methods, runner, terminal); !ready) {
      return tl::unexpected(ready.error());
    }
    cli::shown_comparison shown;
    shown.command = command_;
    shown.plan = plan_;
    shown.threads = here.threads;
    shown.machine = describe(here);
    shown.missing = runner.missing();
    keep_sensible(*methods, here, shown);
    if (const result<void> added = add_files(*methods, here, terminal); !added) {
      return tl::unexpected(added.error());
    }
    result<std::vector<compare::method_runs>> runs = compare::run_experiment(
        *methods, here, plan_, runner,
        [&](std::size_t done, std::size_t all, std::string_view now) {
          terminal.progress(fmt::format("compare: run {} of {}, {}", done + 1, all, now));
        });
    terminal.clear_progress();
    if (!runs) return tl::unexpected(runs.error());
    shown.methods = std::move(*runs);
    shown.findings = compare::find(shown.methods);
    if (runner.refused() > 0) {
      terminal.note(fmt::format("the system did not let {} threads be pinned", runner.refused()));
    }
    terminal.out(json_ ? cli::comparison_json(shown) : cli::comparison_text(shown));
    return cli::fine;
  }

 private:
  result<std::vector<compare::method>> chosen_methods() const {
    std::vector<compare::method> all = compare::usual_methods();
    if (only_.empty()) return all;
    std::vector<std::string_view> names;
    for (const compare::method& m : all) names.push_back(m.name);
    const std::vector<std::string> chosen = cli::split(only_, ',');
    for (const std::string& wanted : chosen) {
      if (std::find(names.begin(), names.end(), wanted) == names.end()) {
        return fail("--only", fmt::format("there is no method '{}'", wanted),
                    suggest(wanted, names));
      }
    }
    std::erase_if(all, [&](const compare::method& m) {
      return m.name != all.front().name &&
             std::find(chosen.begin(), chosen.end(), m.name) == chosen.end();
    });
    return all;
  }

  /// One run that is not counted fills the caches, shows that the program works, and tells how many
  /// threads it has.
  result<void> look_around(compare::situation& here, const std::vector<compare::method>& methods,
                           compare::live_runner& runner, cli::console& terminal) const {
    const live::system_facts facts = live::read_system_files("/");
    here.balancing = facts.numa_balancing;
    const bool wants_sensor =
        here.machine.node_count() > 1 &&
        std::any_of(methods.begin(), methods.end(),
                    [](const compare::method& m) { return m.name == "numatch"; });
    if (wants_sensor) {
      const result<const live::sensor_entry*> sensor =
          live::choose_sensor("auto", live::read_system_facts());
      if (!sensor) here.no_sensor = sensor.error().what;
    }
    const bool wants_balancing = std::any_of(
        methods.begin(), methods.end(),
        [](const compare::method& m) { return m.name.find("balancing") != std::string::npos; });
    if (wants_balancing && here.machine.node_count() > 1 && here.balancing) {
      here.may_set_balancing = runner.may_set_balancing();
      if (here.may_set_balancing) {
        terminal.note(
            "kernel.numa_balancing changes for the whole machine while runs need it, and "
            "is put back at the end");
      }
    }
    terminal.progress("compare: a first run that does not count");
    const result<compare::run_setup> setup = methods.front().prepare(here, plan_.seed);
    if (!setup) return tl::unexpected(setup.error());
    const result<compare::run_figures> first = runner.run(*setup);
    if (!first) return tl::unexpected(first.error());
    here.threads = runner.threads();
    return {};
  }

  static void keep_sensible(std::vector<compare::method>& methods, const compare::situation& here,
                            cli::shown_comparison& shown) {
    std::erase_if(methods, [&](const compare::method& m) {
      const std::string reason = m.why_not(here);
      if (!reason.empty()) shown.left_out.emplace_back(m.name, reason);
      return !reason.empty();
    });
  }

  result<void> add_files(std::vector<compare::method>& methods, const compare::situation& here,
                         cli::console& terminal) const {
    if (with_.empty()) return {};
    for (const std::string& file : cli::split(with_, ',')) {
      result<compare::file_method> made = compare::method_of_file(file, here);
      if (!made) return tl::unexpected(made.error());
      for (const std::string& note : made->notes) terminal.note(note);
      methods.push_back(std::move(made->how));
    }
    return {};
  }

  static std::string describe(const compare::situation& here) {
    utsname system{};
    ::uname(&system);
    const std::size_t nodes = here.machine.node_count();
    return fmt::format("{} NUMA node{}, {} processors to run on, Linux {}", nodes,
                       nodes == 1 ? "" : "s",
                       compare::allowed_pus(here.machine, here.allowed).size(), system.release);
  }

  compare::experiment_plan plan_;
  std::string with_;
  std::string only_;
  bool check_output_ = false;
  bool json_ = false;
  std::vector<std::string> command_;
};

constexpr cli::example examples[] = {
    {"numatch compare -- ./app input", "30 runs of every method that makes sense here"},
    {"numatch map app.nmp -o app.map && numatch compare --with app.map -n 10 -- ./app input",
     "is the mapping worth it on this machine?"},
    {"numatch compare --only interleave,scatter --json -- ./app", "two methods, for a script"},
};

}  // namespace

extern const verb_entry compare_verb{
    "compare",
    46,
    "Run a program under several methods: which is faster here?",
    "Runs CMD as the system does by itself, with interleaved pages, with its threads placed at "
    "random, compactly and scattered, managed by numatch run, with NUMA Balancing on and off "
    "where this user may change it, and with the mappings or profiles of --with; in random order, "
    "as often as asked. Shows "
    "means with 95 % intervals of time, processor time and page faults, of cache misses, loads "
    "from other nodes and energy where the machine counts them, and ratios to the default; says "
    "\"no difference\" where the runs show none. CMD reads nothing, its output is not shown, and "
    "it has to end with 0. docs/compare.md explains the figures.",
    examples,
    [] { return std::unique_ptr<cli::command>(new compare_command); }};

}  // namespace numatch
