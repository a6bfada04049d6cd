// SPDX-License-Identifier: Apache-2.0
#include "report/diff.hpp"

#include <array>
#include <string>

#include "cli/verb.hpp"

namespace numatch {

namespace cli {
namespace {

class diff_command final : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("a", a_, "First profile")->required()->type_name("A");
    app.add_option("b", b_, "Second profile")->required()->type_name("B");
    app.add_option("--threshold", threshold_,
                   "Lowest correlation of the sharing matrices that counts as alike")
        ->check(CLI::Range(-1.0, 1.0))
        ->capture_default_str();
    app.add_flag("--json", json_, "Print the comparison as JSON");
  }

  result<int> run(console& terminal) override {
    const result<profile> a = load_profile(a_);
    if (!a) return tl::unexpected(a.error());
    const result<profile> b = load_profile(b_);
    if (!b) return tl::unexpected(b.error());
    const report::profile_diff d = report::compare_profiles(*a, *b, a_, b_, threshold_);
    terminal.out(json_ ? report::json_diff(d) : report::text_diff(d));
    return d.alike ? fine : answer_is_no;
  }

 private:
  std::string a_;
  std::string b_;
  double threshold_ = 0.95;
  bool json_ = false;
};

constexpr std::array examples{
    example{"numatch diff oracle.nmp lapt.nmp", "whether LAPT saw what every access says"},
    example{"numatch diff --threshold 0.9 monday.nmp friday.nmp && echo unchanged",
            "0 when alike, 1 when they differ, like diff"}};

}  // namespace
}  // namespace cli

extern const verb_entry diff_verb;
const verb_entry diff_verb{
    "diff",
    50,
    "Compare two profiles: 0 when they are alike, 1 when they differ",
    "Compares two profiles of a program: the correlation of their sharing matrices, the pattern in "
    "words, pages that another thread uses most, and what changed per thread and per piece of "
    "data. "
    "The exit code is 0 when the matrices correlate at least by --threshold, 1 when they do not.",
    cli::examples,
    []() -> std::unique_ptr<cli::command> { return std::make_unique<cli::diff_command>(); }};

}  // namespace numatch
