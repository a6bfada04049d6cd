// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "cli/top_session.hpp"
#include "cli/verb.hpp"

namespace numatch {

namespace {

class top_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("-p,--pid", wanted_.pid, "The process; without it, all programs")
        ->type_name("PID")
        ->check(CLI::PositiveNumber);
    app.add_option("CMD", wanted_.command, "A program to run and to watch, after --");
    app.add_option("--sensor", wanted_.sensor,
                   "What makes uses of memory visible (docs/live.md); auto: the best that works")
        ->capture_default_str();
    app.add_option("--budget", budget_percent_,
                   "Share of the program's time that sensing may cost, in %")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 100.0));
    app.add_option("--interval", wanted_.seconds, "Seconds between two pictures")
        ->capture_default_str()
        ->check(CLI::Range(0.1, 3600.0));
    app.add_option("--seed", wanted_.sensing.pages.seed, "For the choice of pages")
        ->capture_default_str();
    CLI::Option* once =
        app.add_flag("--once", wanted_.once, "Print one picture after one interval, for scripts");
    app.add_flag("--json", wanted_.json, "With --once: write JSON")->needs(once);
  }

  result<int> run(cli::console& terminal) override {
    if (wanted_.pid != 0 && !wanted_.command.empty()) {
      return fail("top", "there must be one program to watch", "give -p PID or a program after --");
    }
    if (!wanted_.once && wanted_.command.empty() && ::isatty(STDOUT_FILENO) == 0) {
      return fail("top", "standard output is no terminal", "use --once, which prints one picture");
    }
    wanted_.sensing.budget = budget_percent_ / 100;
    return cli::show_top(wanted_, terminal);
  }

 private:
  cli::top_request wanted_;
  double budget_percent_ = 2;
};

constexpr cli::example examples[] = {
    {"numatch top", "which programs have the most remote memory?"},
    {"numatch top -p 4242", "watches process 4242; h shows the keys, q quits"},
    {"numatch top --once --json -p 4242", "one picture, for a script"},
    {"numatch top -- ./app input", "runs a program and watches it"},
};

}  // namespace

extern const verb_entry top_verb{
    "top",
    46,
    "Watch a running program: threads, nodes, remote share, who shares",
    "Shows a running program again and again: on which node each thread runs, its share of a "
    "processor, how much of what it uses is local, and who shares memory with whom. Where threads "
    "and memory are is measured from /proc; what is used is sampled by a sensor, as in numatch "
    "profile, within --budget. Without a program: the programs with the most remote memory, from "
    "/proc alone. The output of a program that is run here appears when the view ends. "
    "docs/live.md says what each sensor needs and sees.",
    examples,
    [] { return std::unique_ptr<cli::command>(new top_command); }};

}  // namespace numatch
