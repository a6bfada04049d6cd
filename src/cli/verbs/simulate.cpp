// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/atomic_file.hpp"
#include "cli/passing_trace.hpp"
#include "cli/simulate_request.hpp"
#include "cli/simulate_runs.hpp"
#include "cli/verb.hpp"
#include "report/simulation.hpp"
#include "report/simulation_sweep.hpp"

namespace numatch {

namespace {

constexpr std::uint64_t timeline_step = 200'000;

class simulate_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    parser_ = &app;
    cli::add_options(app, request_);
    app.add_option("-j,--jobs", jobs_, "Threads of this machine that simulate, all unless said")
        ->check(CLI::Range(1u, 4096u));
    app.add_flag("--short", short_, "Print one line per run");
    app.add_flag("--json", json_, "Print JSON");
    app.add_option("--timeline", timeline_,
                   "Write how each run went over time: CSV, or JSON where the name ends so")
        ->type_name("FILE");
    app.add_option("--timeline-step", request_.timeline_cycles,
                   "Cycles of a piece of the timeline, 200000 unless said")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U));
    app.add_option(
           "--sweep", sweeps_,
           "Simulate again for each value of a key of the machine, a mechanism's parameter, "
           "seed, phase or time-scale, KEY=VALUE,VALUE,...; repeatable")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("SWEEP");
    app.add_flag("--sensitivity", sensitivity_,
                 "Simulate again for values of what the papers leave open");
    app.add_flag("--check", check_, "Only check the options: neither read a trace nor simulate");
    app.add_option("-o,--output", output_, "Write the result to a file instead of printing it");
    app.add_option("TRACE", first_word_, "The trace to simulate");
    app.add_option("CMD", other_words_, "Or a program and its arguments, after --");
  }

  result<int> run(cli::console& terminal) override {
    if (result<void> r = check_call(); !r) return tl::unexpected(r.error());
    const result<std::vector<cli::planned_request>> plans =
        cli::plans_of(request_, sweeps_, sensitivity_);
    if (!plans) return tl::unexpected(plans.error());
    if (check_) return cli::fine;
    if (result<void> r = check_outputs(); !r) return tl::unexpected(r.error());
    if (!runs_program()) return simulate_trace(first_word_, *plans, terminal);

    std::vector<std::string> words{first_word_};
    words.insert(words.end(), other_words_.begin(), other_words_.end());
    const signals_held held;
    const result<cli::passing_trace> recorded = cli::passing_trace::record(words, held, terminal);
    if (!recorded) return tl::unexpected(recorded.error());
    if (const int code = recorded->exit_code(); code != 0) {
      for (const int stopped : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        if (code == 128 + stopped) {
          terminal.note("interrupted while recording: nothing was simulated");
          return code;
        }
      }
      terminal.note(
          fmt::format("the program ended with code {}: what it did until then is simulated", code));
    }
    return simulate_trace(recorded->file(), *plans, terminal);
  }

 private:
  bool sweeps() const { return sensitivity_ || !sweeps_.empty(); }

  /// CLI11 keeps the "--" that it met among the words that no option took.
  bool runs_program() const {
    const std::vector<std::string> remaining = parser_->remaining();
    return std::ranges::find(remaining, "--") != remaining.end();
  }

  result<void> check_call() {
    if (first_word_.empty()) {
      return fail("simulate", "there is nothing to simulate",
                  "name a trace, or a program after --");
    }
    if (!runs_program() && !other_words_.empty()) {
      return fail("simulate", "there is more than one trace",
                  "name one, or write -- before a program");
    }
    if (short_ && (json_ || sweeps())) {
      return fail("--short", fmt::format("does not go with {}", json_ ? "--json" : "a sweep"),
                  "leave one of them out");
    }
    if (sweeps() && !timeline_.empty()) {
      return fail("--timeline", "does not go with a sweep", "leave one of them out");
    }
    if (sweeps() && request_.mechanisms.empty()) {
      return fail("simulate", "a sweep compares mechanisms with the baseline", "add --mechanism");
    }
    if (timeline_.empty()) {
      if (request_.timeline_cycles != 0) {
        return fail("--timeline-step", "there is no timeline", "add --timeline FILE");
      }
    } else if (request_.timeline_cycles == 0) {
      request_.timeline_cycles = timeline_step;
    }
    return {};
  }

  /// Says before a long run that a result could not be written after it.
  result<void> check_outputs() const {
    if (!output_.empty() && output_ == timeline_) {
      return fail("--timeline", "is the file of -o", "name another one");
    }
    for (const std::string& file : {output_, timeline_}) {
      if (file.empty()) continue;
      std::error_code ignored;
      if (!runs_program() && std::filesystem::equivalent(file, first_word_, ignored)) {
        return fail(file, "is the trace itself", "name another file");
      }
      const result<atomic_file> probe = atomic_file::create(file);
      if (!probe) return tl::unexpected(probe.error());
    }
    return {};
  }

  result<int> simulate_trace(const std::filesystem::path& file,
                             const std::vector<cli::planned_request>& plans,
                             cli::console& terminal) const {
    const unsigned jobs = jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency());
    const result<cli::simulated> done = cli::simulate_plans(file, plans, jobs, terminal);
    if (!done) return tl::unexpected(done.error());
    if (done->signal != 0) {
      terminal.note("interrupted: nothing was written");
      return 128 + done->signal;
    }
    return write(done->stated, done->points, terminal);
  }

  result<int> write(const report::simulation& done, const std::vector<report::sweep_point>& points,
                    cli::console& terminal) const {
    if (!timeline_.empty()) {
      const bool as_json = std::filesystem::path(timeline_).extension() == ".json";
      const std::string text = as_json ? report::json_timeline(done) : report::csv_timeline(done);
      if (result<void> r = write_file(timeline_, text); !r) return tl::unexpected(r.error());
    }
    const std::string text = text_of(done, points);
    if (output_.empty()) {
      terminal.out(text);
    } else if (result<void> r = write_file(output_, text); !r) {
      return tl::unexpected(r.error());
    }
    return cli::fine;
  }

  std::string text_of(const report::simulation& done,
                      const std::vector<report::sweep_point>& points) const {
    if (sweeps()) return json_ ? json_sweep(done, points) : text_sweep(done, points);
    if (json_) return report::json_simulation(done);
    return short_ ? report::text_simulation_in_short(done) : report::text_simulation(done);
  }

  CLI::App* parser_ = nullptr;
  cli::simulate_request request_;
  unsigned jobs_ = 0;
  bool short_ = false;
  bool json_ = false;
  std::string timeline_;
  std::vector<std::string> sweeps_;
  bool sensitivity_ = false;
  bool check_ = false;
  std::string output_;
  std::string first_word_;
  std::vector<std::string> other_words_;
};

constexpr std::array<cli::example, 10> examples{{
    {"numatch simulate app.nmt --mechanism lapt,sammu,oracle",
     "what LAPT, SAMMU and a perfect observer gain on their papers' machine"},
    {"numatch simulate app.nmt --machine xeon64 --mechanism sammu --baseline first-touch",
     "on another machine, against first touch"},
    {"numatch simulate app.nmt --mechanism lapt --only pages", "only LAPT's page mapping"},
    {"numatch simulate app.nmt --mechanism lapt --param cv-length=8 --time-scale 10",
     "with longer communication vectors and intervals ten times shorter"},
    {"numatch simulate app.nmt --mechanism lapt --set 'link.inter.latency=70 cycles'",
     "with slower links between chips"},
    {"numatch simulate app.nmt --mechanism lapt --timeline app.csv",
     "writes remote share, traffic and moves over time, too"},
    {"numatch simulate app.nmt --mechanism lapt,sammu --json -o app.json",
     "writes every number for a script"},
    {"numatch simulate app.nmt --mechanism lapt --sweep 'link.inter.latency=10 cycles,70 cycles'",
     "how the gain depends on the latency between chips"},
    {"numatch simulate app.nmt --mechanism lapt,sammu --sensitivity",
     "how much the result depends on what the papers leave open"},
    {"numatch simulate --mechanism oracle -- ./app input",
     "records the program first, and forgets the trace afterwards"},
}};

}  // namespace

extern const verb_entry simulate_verb;
const verb_entry simulate_verb{
    "simulate",
    42,
    "Run a program on a simulated machine under a mechanism",
    "Replays a trace, or a program that it records first, on a simulated NUMA machine: cores, "
    "TLBs, "
    "caches, coherence between chips, links, memory and an operating system. The baseline runs "
    "first, then each mechanism from the same placement of threads and pages; the table says what "
    "each gains and costs. The same trace, options and seed give the same numbers, whatever -j "
    "says. What a recorded program prints goes to standard error. docs/simulate.md explains the "
    "table.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<simulate_command>()); },
};

}  // namespace numatch
