// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "base/atomic_file.hpp"
#include "cli/verb.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace numatch {

namespace cli {
namespace {

class report_command final : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("profile", profile_, "Profile written by numatch profile")
        ->required()
        ->type_name("PROFILE");
    app.add_option(
           "--topology", topology_,
           "Machine to map for: live, an hwloc synthetic string, an hwloc XML file or a name "
           "from machines/ (default: this machine, or an example of 4 nodes where it has "
           "only one)")
        ->type_name("SPEC");
    CLI::Option* json = app.add_flag("--json", json_, "Print the report as JSON");
    app.add_option("--html", html_, "Write the report as one HTML file")
        ->type_name("FILE")
        ->excludes(json);
  }

  result<int> run(console& terminal) override {
    const result<profile> learned = load_profile(profile_);
    if (!learned) return tl::unexpected(learned.error());
    result<report::machine_choice> machine =
        report::choose_machine(topology_, learned->threads.size());
    if (!machine) return tl::unexpected(machine.error());
    const result<report::summary> summary = report::summarise(*learned, std::move(*machine));
    if (!summary) {
      error what = summary.error();
      if (what.where.empty()) what.where = profile_;
      return tl::unexpected(what);
    }
    if (!html_.empty()) {
      const result<void> written = write_file(html_, report::html_report(*learned, *summary));
      if (!written) return tl::unexpected(written.error());
      terminal.out(fmt::format("{}\nwritten to {}\n", summary->verdict.headline, html_));
      return fine;
    }
    terminal.out(json_ ? report::json_report(*learned, *summary)
                       : report::text_report(*learned, *summary));
    return fine;
  }

 private:
  std::string profile_;
  std::string topology_;
  std::string html_;
  bool json_ = false;
};

constexpr std::array examples{
    example{"numatch report app.nmp", "the verdict and what it rests on, as text"},
    example{"numatch report app.nmp --html app.html", "the same with pictures, as one file"},
    example{"numatch report app.nmp --topology xeon64 --json",
            "for another machine, for another program"}};

}  // namespace
}  // namespace cli

extern const verb_entry report_verb;
const verb_entry report_verb{
    "report",
    40,
    "Show who shares what in a profile and whether mapping is worth it",
    "Reads a profile and says whether mapping threads and pages is worth it and why, which threads "
    "share, in what pattern, how exclusively pages are used, what each mapping keeps local, which "
    "data is shared and which cache lines are shared falsely. The definitions are in "
    "docs/report.md.",
    cli::examples,
    []() -> std::unique_ptr<cli::command> { return std::make_unique<cli::report_command>(); }};

}  // namespace numatch
