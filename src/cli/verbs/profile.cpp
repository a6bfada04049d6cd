// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "cli/verb.hpp"
#include "profiler/profile_trace.hpp"
#include "report/page_sharing.hpp"

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
    app.add_option("--trace", trace_, "The trace to learn from")->required();
    app.add_option("--mechanism", mechanism_, "oracle, lapt or sammu (see numatch mechanisms)")
        ->capture_default_str();
    app.add_option("--param", parameters_, "A parameter of the mechanism, NAME=VALUE; repeatable")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--page-size", tlb_.page_bytes, "Page size in bytes, 4096 unless said");
    app.add_option("--tlb-entries", tlb_.entries, "Entries of every thread's TLB, 64 unless said");
    app.add_option("--tlb-ways", tlb_.ways, "Ways of a TLB set, 4 unless said");
    app.add_flag("--no-tlb-flush{false}", flush_at_thread_end_,
                 "What is in the TLB of a thread that ends is not evicted");
    app.add_option("--quantum", replay_.quantum, "Time units that a thread runs before others")
        ->capture_default_str()
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
    app.add_option("--windows", windows_, "At most so many time windows of page usage")
        ->capture_default_str()
        ->check(CLI::Range(1u, 4096u));
    app.add_flag("--roi", replay_.region_of_interest, "Only the region of interest, if marked");
    app.add_flag("--no-objects{false}", objects_, "Leave out data objects and false sharing");
    app.add_option("-o,--output", output_, "The profile; the trace's name with .nmp unless said");
    app.add_flag("--json", json_, "Print the summary as JSON");
  }

  result<int> run(cli::console& terminal) override {
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
    terminal.out(json_ ? as_json(*learned, *output) : as_text(*learned, *output));
    return cli::fine;
  }

 private:
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

  static double shared_share(const profile& p) {
    return report::measure_exclusivity(report::page_runs(p)).shared_share();
  }

  static std::string as_json(const profile& p, const std::filesystem::path& output) {
    const nlohmann::ordered_json summary{{"profile", output.string()},
                                         {"mechanism", p.mechanism},
                                         {"frontend", p.frontend},
                                         {"evidence", to_string(p.how)},
                                         {"threads", p.threads.size()},
                                         {"accesses", p.total_accesses},
                                         {"shared_share", shared_share(p)},
                                         {"matrix_unit", p.matrix_unit},
                                         {"matrix_total", p.sharing.total()},
                                         {"page_bytes", p.page_bytes},
                                         {"parameters", p.parameters}};
    return summary.dump(2) + "\n";
  }

  static std::string as_text(const profile& p, const std::filesystem::path& output) {
    std::string text = fmt::format("{}\n", p.command);
    text += fmt::format("  threads   {}\n", p.threads.size());
    text += fmt::format("  accesses  {} ({})\n", p.total_accesses, p.frontend);
    text += fmt::format("  shared    {:.1f} % of the accesses go to pages of several threads\n",
                        100 * shared_share(p));
    text += fmt::format("  detected  {:.0f} {} of sharing by {} ({})\n", p.sharing.total(),
                        p.matrix_unit, p.mechanism, to_string(p.how));
    text += fmt::format("  profile   {}\n", output.string());
    return text;
  }

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

constexpr std::array<cli::example, 3> examples{{
    {"numatch profile --trace app.nmt", "learns from every access and writes app.nmp"},
    {"numatch profile --trace app.nmt --mechanism lapt --tlb-entries 512 -o lapt.nmp",
     "what LAPT would have seen with a TLB of 512 entries"},
    {"numatch profile --trace app.nmt --param granularity=64 --param count=accesses",
     "sharing by cache lines instead of pages, those that nobody writes included"},
}};

}  // namespace

extern const verb_entry profile_verb;
const verb_entry profile_verb{
    "profile",
    20,
    "Learn from a trace which threads share memory",
    "Replays a trace and writes a profile (.nmp): the sharing matrix that the chosen mechanism "
    "detects, which thread used which page when, and which data that was. The oracle sees every "
    "access; lapt and sammu see what a TLB per thread lets through, as in their papers. A profile "
    "says nothing about a machine: map it to any with numatch map.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<profile_command>()); },
};

}  // namespace numatch
