// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "cli/show_text.hpp"
#include "cli/verb.hpp"

namespace numatch {

namespace {

class show_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("-p,--pid", pid_, "The process")->type_name("PID")->required();
    app.add_flag("--all", all_, "List every mapping, not the largest 20");
    app.add_flag("--json", json_, "Write JSON");
  }

  result<int> run(cli::console& terminal) override {
    const result<live::observed_process> process = live::observed_process::open(pid_);
    if (!process) return tl::unexpected(process.error());
    const result<live::process_view> view =
        live::view_process(*process, live::read_system_files("/"));
    if (!view) return tl::unexpected(view.error());
    constexpr std::size_t enough = 20;
    terminal.out(
        json_ ? cli::process_json(*view)
              : cli::process_text(*view, all_ ? std::numeric_limits<std::size_t>::max() : enough));
    return cli::fine;
  }

 private:
  pid_t pid_ = 0;
  bool all_ = false;
  bool json_ = false;
};

constexpr cli::example examples[] = {
    {"numatch show -p 1234", "where are the threads and pages of process 1234?"},
    {"numatch show -p 1234 --json", "everything, for a script"},
};

}  // namespace

extern const verb_entry show_verb{
    "show",
    47,
    "Where a running program's threads and pages are, once",
    "Shows, for a running process, how much of its memory lies on each NUMA node and what that "
    "memory is, on which processor each thread ran last and where it may run, the node and policy "
    "of every mapping, and the share of its memory on nodes where its threads run. Only reads "
    "/proc: nothing is stopped or changed. docs/show.md explains the words.",
    examples,
    [] { return std::unique_ptr<cli::command>(new show_command); }};

}  // namespace numatch
