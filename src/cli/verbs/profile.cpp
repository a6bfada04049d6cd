// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>

#include "base/atomic_file.hpp"
#include "cli/live_profile.hpp"
#include "cli/profile_summary.hpp"
#include "cli/verb.hpp"
#include "profiler/profile_trace.hpp"

namespace numatch {

namespace {

/// "name=value" pairs of --param.
result<std::map<std::string, std::string>> split(const std::vector<std::string>& given) {
  std::map<std::string, std::string> values;
  for (const std::string& pair : given) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail("--param", fmt::format("'{}' is not NAME=VALUE", pair));
    }
    values[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return values;
}

class profile_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    CLI::Option* trace = app.add_option("--trace", trace_, "The trace to learn from");
    app.add_option("-p,--pid", live_.pid, "A running process to learn from")
        ->type_name("PID")
        ->excludes(trace)
        ->check(CLI::PositiveNumber);
    app.add_option("CMD", live_.command, "A program to run and to learn from, after --")
        ->excludes(trace);
    add_live_options(app, trace);
    add_trace_options(app, trace);
    app.add_option("--windows", windows_, "At most so many time windows of page usage")
        ->capture_default_str()
        ->check(CLI::Range(1u, 4096u));
    app.add_option("-o,--output", output_,
                   "The profile; the name of the trace or the program with .nmp unless said");
    app.add_flag("--json", json_, "Print the summary as JSON");
  }

  result<int> run(cli::console& terminal) override {
    const bool live = live_.pid != 0 || !live_.command.empty();
    if (live == !trace_.empty() || (live_.pid != 0 && !live_.command.empty())) {
      return fail("profile", "there must be one thing to learn from",
                  "give --trace FILE, -p PID, or a program after --");
    }
    return live ? learn_live(terminal) : learn_from_trace(terminal);
  }

 private:
  void add_live_options(CLI::App& app, CLI::Option* trace) {
    app.add_option("--sensor", live_.options.sensor,
                   "What makes uses of memory visible (docs/live.md); auto: the best that works")
        ->capture_default_str()
        ->excludes(trace);
    app.add_option("--duration", live_.options.seconds,
                   "Seconds; until ^C or the program's end unless said")
        ->excludes(trace)
        ->check(CLI::Range(0.0, 1e9));
    app.add_option("--budget", live_.budget_percent,
                   "Share of the program's time that sensing may cost, in %")
        ->capture_default_str()
        ->excludes(trace)
        ->check(CLI::Range(0.01, 100.0));
    app.add_option("--seed", live_.options.sensing.pages.seed, "For the choice of pages")
        ->capture_default_str()
        ->excludes(trace);
  }

  void add_trace_options(CLI::App& app, CLI::Option* trace) {
    app.add_option("--mechanism", mechanism_, "oracle, lapt or sammu (see numatch mechanisms)")
        ->capture_default_str()
        ->needs(trace);
    app.add_option("--param", parameters_, "A parameter of the mechanism, NAME=VALUE; repeatable")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->needs(trace);
    app.add_option("--page-size", tlb_.page_bytes, "Page size in bytes, 4096 unless said")
        ->needs(trace);
    app.add_option("--tlb-entries", tlb_.entries, "Entries of every thread's TLB, 64 unless said")
        ->needs(trace);
    app.add_option("--tlb-ways", tlb_.ways, "Ways of a TLB set, 4 unless said")->needs(trace);
    app.add_flag("--no-tlb-flush{false}", flush_at_thread_end_,
                 "What is in the TLB of a thread that ends is not evicted")
        ->needs(trace);
    app.add_option("--quantum", replay_.quantum, "Time units that a thread runs before others")
        ->capture_default_str()
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
        ->needs(trace);
    app.add_flag("--roi", replay_.region_of_interest, "Only the region of interest, if marked")
        ->needs(trace);
    app.add_flag("--no-objects{false}", objects_, "Leave out data objects and false sharing")
        ->needs(trace);
  }

  result<int> learn_live(cli::console& terminal) {
    live_.options.most_windows = windows_;
    live_.output = output_;
    live_.json = json_;
    return cli::profile_live(live_, terminal);
  }

  result<int> learn_from_trace(cli::console& terminal) {
    const result<const mechanism_entry*> wanted = find_mechanism(mechanism_);
    if (!wanted) return tl::unexpected(wanted.error());
    result<std::map<std::string, std::string>> parameters = split(parameters_);
    if (!parameters) return tl::unexpected(parameters.error());
    const result<trace::reader> opened = trace::reader::open(trace_);
    if (!opened) return tl::unexpected(opened.error());
    const result<std::filesystem::path> output = choose_output();
    if (!output) return tl::unexpected(output.error());
    const profile_options options{.parameters = std::move(*parameters),
                                  .tlb = tlb_,
                                  .flush_at_thread_end = flush_at_thread_end_,
                                  .replay = replay_,
                                  .most_windows = windows_,
                                  .objects = objects_};
    const auto progress = [&](std::uint64_t done, std::uint64_t all) {
      if (!terminal.shows_progress() || all == 0) return;
      terminal.progress(fmt::format("profile: {:.0f} % of {:.1f} M accesses",
                                    100.0 * static_cast<double>(done) / static_cast<double>(all),
                                    static_cast<double>(all) / 1e6));
    };
    const result<profile> learned = profile_trace(*opened, **wanted, options, progress);
    if (!learned) return tl::unexpected(learned.error());
    if (result<void> saved = save_profile(*learned, *output); !saved) {
      return tl::unexpected(saved.error());
    }
    terminal.clear_progress();
    terminal.out(json_ ? cli::as_json(cli::summary_of(*learned, *output))
                       : cli::as_text(*learned, "accesses", *output));
    return cli::fine;
  }

  /// Says before a long replay that the profile could not be written after it.
  result<std::filesystem::path> choose_output() const {
    std::filesystem::path output = output_;
    if (output.empty()) output = std::filesystem::path(trace_).replace_extension(".nmp");
    std::error_code ignored;
    if (std::filesystem::equivalent(output, trace_, ignored)) {
      return fail(output.string(), "is the trace itself", "name another file with -o");
    }
    const result<atomic_file> probe = atomic_file::create(output);
    if (!probe) return tl::unexpected(probe.error());
    return output;
  }

  cli::live_request live_;
  std::string trace_;
  std::string mechanism_ = "oracle";
  std::vector<std::string> parameters_;
  tlb_request tlb_;
  trace::replay_options replay_;
  unsigned windows_ = 16;
  bool flush_at_thread_end_ = true;
  bool objects_ = true;
  std::string output_;
  bool json_ = false;
};

constexpr std::array<cli::example, 5> examples{{
    {"numatch profile --trace app.nmt", "learns from every access and writes app.nmp"},
    {"numatch profile --trace app.nmt --mechanism lapt --tlb-entries 512 -o lapt.nmp",
     "what LAPT would have seen with a TLB of 512 entries"},
    {"numatch profile --trace app.nmt --param granularity=64 --param count=accesses",
     "sharing by cache lines instead of pages, those that nobody writes included"},
    {"numatch profile -p 4242 --duration 20", "watches a running program for 20 seconds"},
    {"numatch profile -o app.nmp -- ./app input", "runs a program and watches it until it ends"},
}};

}  // namespace

extern const verb_entry profile_verb;
const verb_entry profile_verb{
    "profile",
    20,
    "Learn which threads share memory, from a trace or a running program",
    "From a trace (--trace): replays it and writes a profile (.nmp): the sharing matrix that the "
    "chosen mechanism "
    "detects, which thread used which page when, and which data that was. The oracle sees every "
    "access; lapt and sammu see what a TLB per thread lets through, as in their papers. A profile "
    "says nothing about a machine: map it to any with numatch map.\n\n"
    "From a running program (-p PID, or CMD after --): watches it, unmodified, for a small share "
    "of "
    "its time, and writes the same profile from what it saw. ^C ends the watching; with -p the "
    "program goes on. After CMD, the exit code is the program's. docs/live.md says what each "
    "sensor needs and sees.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<profile_command>()); },
};

}  // namespace numatch
