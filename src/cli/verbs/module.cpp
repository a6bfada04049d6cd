// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "cli/module_tools.hpp"
#include "cli/verb.hpp"

namespace numatch {

namespace {

class module_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    add(app, "status", "What this machine has of the module, and what refuses it",
        cli::make_module_status());
    add(app, "build", "Build the module for a kernel", cli::make_module_build());
    add(app, "load", "Load the module", cli::make_module_load());
    add(app, "unload", "Unload the module", cli::make_module_unload());
    app.require_subcommand(1, 1);
  }
  result<int> run(cli::console& terminal) override {
    for (const tool& one : tools_) {
      if (one.parser->parsed()) return one.work->run(terminal);
    }
    return fail("module", "there must be one thing to do", "numatch module --help");
  }

 private:
  struct tool {
    CLI::App* parser;
    std::unique_ptr<cli::command> work;
  };
  void add(CLI::App& app, const char* name, const char* says, std::unique_ptr<cli::command> work) {
    CLI::App* const parser = app.add_subcommand(name, says);
    work->options(*parser);
    tools_.push_back({parser, std::move(work)});
  }

  std::vector<tool> tools_;
};

constexpr std::array<cli::example, 5> examples{{
    {"numatch module status", "is it loaded, who uses it, and what would refuse it here?"},
    {"sudo numatch module build && sudo numatch module load",
     "builds it for the running kernel and loads it"},
    {"numatch module build --headers linux-6.12/headers -o modules/6.12",
     "builds it for another kernel"},
    {"sudo numatch module load --option force=1", "on a kernel that it was not tried on"},
    {"sudo numatch module unload", "takes it out again"},
}};

}  // namespace

extern const verb_entry module_verb;
const verb_entry module_verb{
    "module",
    47,
    "Build, load and look at the kernel module",
    "The Linux module numatch.ko gives each thread of an observed program a page table of its own, "
    "so that no thread's use of a page hides another's. With it, --sensor module works, and "
    "`numatch run --mechanism mvas`. `build` needs make, a compiler and the headers of the kernel; "
    "`load` and `unload` need root. `status` changes nothing; its exit code is 0 when this user "
    "may use the module, else 1. docs/kernel-module.md says how the module works, what it costs "
    "and what it refuses.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<module_command>()); },
};

}  // namespace numatch
