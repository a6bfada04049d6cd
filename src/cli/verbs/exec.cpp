// SPDX-License-Identifier: Apache-2.0
#include "cli/verb.hpp"
#include "live/pinned_run.hpp"
#include "mapping/mapping_file.hpp"

namespace numatch {

namespace {

class exec_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("-m,--mapping", mapping_, "File written by `numatch map -o`")
        ->type_name("FILE")
        ->required();
    app.add_option("CMD", command_, "The program and its arguments, after --")->required();
  }

  result<int> run(cli::console& terminal) override {
    const result<saved_mapping> mapping = read_mapping(mapping_);
    if (!mapping) return tl::unexpected(mapping.error());
    const result<topology> machine = topology::load("live");
    if (!machine) return tl::unexpected(machine.error());
    const result<live::cpu_mask> allowed = live::cpu_mask::of_task(0);
    if (!allowed) return tl::unexpected(allowed.error());
    const result<live::pin_plan> plan = live::plan_pins(*mapping, *machine, *allowed);
    if (!plan) return fail(mapping_, plan.error().what, plan.error().hint);
    for (const std::string& note : plan->notes) terminal.note(note);

    const result<live::pinned_outcome> ended = live::run_pinned(command_, *plan);
    if (!ended) return tl::unexpected(ended.error());
    const std::size_t mapped = plan->cpu_of_thread.size();
    if (ended->threads != mapped) {
      terminal.note(fmt::format("the mapping has {} threads, the program started {}", mapped,
                                ended->threads));
    }
    if (ended->refused > 0) {
      terminal.note(fmt::format("the system did not let {} threads be pinned", ended->refused));
    }
    return ended->exit_code;
  }

 private:
  std::string mapping_;
  std::vector<std::string> command_;
};

constexpr cli::example examples[] = {
    {"numatch map app.nmp -o app.map && numatch exec --mapping app.map -- ./app input",
     "maps onto this machine and runs the program so"},
};

}  // namespace

extern const verb_entry exec_verb{
    "exec",
    45,
    "Run a program with a saved mapping",
    "Runs CMD with its threads, in the order of creation, on the processing units of a mapping of "
    "`numatch map`, and with the mapping's page policy. Processors that this process must not use "
    "are respected. Threads beyond the mapping and child processes are not pinned. Exit code, "
    "output and signals are the program's own. docs/mapping.md says how it works.",
    examples,
    [] { return std::unique_ptr<cli::command>(new exec_command); }};

}  // namespace numatch
