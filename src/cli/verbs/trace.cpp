// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/capture_command.hpp"
#include "cli/trace_tools.hpp"
#include "cli/verb.hpp"

namespace numatch {

namespace {

class trace_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    capture_.options(app);
    tools_.options(app);
  }
  result<int> run(cli::console& terminal) override {
    if (cli::command* tool = tools_.chosen()) return tool->run(terminal);
    return capture_.run(terminal);
  }

 private:
  cli::capture_command capture_;
  cli::trace_tools tools_;
};

constexpr std::array<cli::example, 7> examples{{
    {"numatch trace -o pigz.nmt -- pigz -p 4 -k file",
     "runs pigz and writes every access of its threads into pigz.nmt"},
    {"numatch trace --filter tlb -- ./solver input",
     "writes only TLB misses: a small file, enough for page-level mechanisms"},
    {"numatch trace --frontend qemu --no-allocations -- ./solver",
     "insists on QEMU and does not follow malloc"},
    {"numatch trace info pigz.nmt", "says what is in it: threads, accesses, footprint, command"},
    {"numatch trace check pigz.nmt", "exits with 1 and names the place where it is damaged"},
    {"numatch trace export pigz.nmt --format drmemtrace -o pigz.dr",
     "writes a folder that DynamoRIO's drcachesim reads (-indir pigz.dr)"},
    {"numatch trace import ls.lackey --format lackey -o ls.nmt",
     "takes over what valgrind --tool=lackey --trace-mem=yes wrote"},
}};

}  // namespace

extern const verb_entry trace_verb;
const verb_entry trace_verb{
    "trace",
    10,
    "Record every memory access of a program",
    "Runs a program and records which thread accessed which memory when, in a trace file (.nmt) "
    "that the other commands read. The program need not be changed: it runs under QEMU, about 10 "
    "to 30 times slower than by itself. One that was built with numatch-cc records itself, faster. "
    "The program's output, signals and exit code are its own; ^C leaves a shorter trace that is "
    "whole.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<trace_command>()); },
};

}  // namespace numatch
