// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "cli/reproduce_runs.hpp"
#include "cli/verb.hpp"
#include "cli/words.hpp"
#include "reproduce/page.hpp"

namespace numatch {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view all_papers = "all";

/// $XDG_CACHE_HOME/numatch/reproduce, or below ~/.cache.
result<fs::path> usual_store() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != 0) {
    return fs::path(cache) / "numatch/reproduce";
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != 0) {
    return fs::path(home) / ".cache/numatch/reproduce";
  }
  return fail("--store", "there is neither XDG_CACHE_HOME nor HOME", "name a folder");
}

/// The item of that name, or an error that lists the names.
template <class Item>
result<Item> by_name(const std::string& where, const std::vector<Item>& items,
                     const std::string& name) {
  std::vector<std::string_view> known;
  for (const Item& item : items) {
    if (item.name == name) return item;
    known.push_back(item.name);
  }
  return fail(where, fmt::format("there is no '{}' in this suite", name), suggest(name, known));
}

class reproduce_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("PAPER", paper_, "A paper of the suite, or all")->capture_default_str();
    app.add_option("--suite", suite_, "The programs: a suite's name or its file")
        ->capture_default_str();
    app.add_option("--class", class_, "The size of the programs")->capture_default_str();
    app.add_option("--programs", programs_, "Only these programs, with commas between")
        ->type_name("NAMES");
    app.add_option("--sources", sources_,
                   "Directory in which the suite looks for its programs, such as NPB's or PARSEC's")
        ->type_name("DIR");
    app.add_option("--store", store_,
                   "Folder of recorded programs and results, ~/.cache/numatch/reproduce unless "
                   "said")
        ->type_name("DIR");
    app.add_option("--seed", seed_, "Of all random choices")->capture_default_str();
    app.add_option("-j,--jobs", jobs_, "Threads of this machine that simulate, all unless said")
        ->check(CLI::Range(1u, 4096u));
    app.add_flag("--json", json_, "Print JSON");
    app.add_option("--html", html_, "Write index.html, tables.txt and tables.json to a folder")
        ->type_name("DIR");
    app.add_option("-o,--output", output_, "Write the tables to a file instead of printing them");
  }

  result<int> run(cli::console& terminal) override {
    result<cli::reproduce_request> request = check();
    if (!request) return tl::unexpected(request.error());
    const result<cli::reproduced> done = cli::reproduce_suite(*request, terminal);
    if (!done) return tl::unexpected(done.error());
    if (done->signal != 0) {
      terminal.note("interrupted: the same call goes on where it ended");
      return 128 + done->signal;
    }
    terminal.note(fmt::format("{} programs recorded, {} runs simulated, {} taken from the store",
                              done->recorded, done->simulated, done->stored));
    if (result<void> r = write(reproduce::page_of(done->results), terminal); !r) {
      return tl::unexpected(r.error());
    }
    return report_failures(done->results, terminal);
  }

 private:
  result<cli::reproduce_request> check() const {
    const result<fs::path> file = reproduce::find_suite(suite_);
    if (!file) return tl::unexpected(file.error());
    result<reproduce::suite> suite = reproduce::read_suite(*file);
    if (!suite) return tl::unexpected(suite.error());
    result<reproduce::suite_class> size = by_name("--class", suite->classes, class_);
    if (!size) return tl::unexpected(size.error());
    cli::reproduce_request request;
    if (paper_ == all_papers) {
      for (const reproduce::suite_paper& paper : suite->papers) {
        request.papers.push_back(paper.name);
      }
    } else {
      const result<reproduce::suite_paper> paper = by_name("PAPER", suite->papers, paper_);
      if (!paper) return tl::unexpected(paper.error());
      request.papers.push_back(paper->name);
    }
    if (!programs_.empty()) {
      for (const std::string& name : cli::split(programs_, ',')) {
        const result<reproduce::suite_program> program =
            by_name("--programs", suite->programs, name);
        if (!program) return tl::unexpected(program.error());
        request.programs.push_back(name);
      }
    }
    const result<fs::path> store = store_.empty() ? usual_store() : result<fs::path>(store_);
    if (!store) return tl::unexpected(store.error());
    request.of = *std::move(suite);
    request.size = *std::move(size);
    request.sources = sources_;
    request.store = *store;
    request.seed = seed_;
    request.jobs = jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency());
    return request;
  }

  result<void> write(const reproduce::page& made, cli::console& terminal) const {
    if (!html_.empty()) {
      std::error_code problem;
      fs::create_directories(html_, problem);
      if (problem) return fail(html_, problem.message(), "name a folder that can be written");
      const fs::path folder(html_);
      if (result<void> r = write_file(folder / "index.html", html_of(made)); !r) return r;
      if (result<void> r = write_file(folder / "tables.txt", text_of(made)); !r) return r;
      if (result<void> r = write_file(folder / "tables.json", json_of(made)); !r) return r;
    }
    const std::string text = json_ ? json_of(made) : text_of(made);
    if (!output_.empty()) return write_file(output_, text);
    terminal.out(text);
    return {};
  }

  static int report_failures(const reproduce::suite_results& results, cli::console& terminal) {
    int code = cli::fine;
    for (const auto& [name, program] : results.programs) {
      if (!program.failure.empty()) {
        terminal.note(fmt::format("{} failed: {}", name, program.failure));
        code = cli::answer_is_no;
      }
      for (const auto* const failures : {&program.failed_runs, &program.failed_looks}) {
        for (const auto& [key, failed] : *failures) {
          terminal.note(fmt::format("{} under {} failed: {}", name, failed.title, failed.reason));
          code = cli::answer_is_no;
        }
      }
    }
    return code;
  }

  std::string paper_ = std::string(all_papers);
  std::string suite_ = "builtin";
  std::string class_ = "S";
  std::string programs_;
  std::string sources_;
  std::string store_;
  std::uint64_t seed_ = 1;
  unsigned jobs_ = 0;
  bool json_ = false;
  std::string html_;
  std::string output_;
};

constexpr std::array<cli::example, 5> examples{{
    {"numatch reproduce lapt", "LAPT's tables for the built-in programs at class S"},
    {"numatch reproduce all --html tables", "all papers, as a page in tables/index.html"},
    {"numatch reproduce sammu --programs cg,sp", "only two of the programs"},
    {"numatch reproduce sammu --class W", "larger programs: hours"},
    {"numatch reproduce lapt --suite ./mine.toml --json -o mine.json",
     "own programs, every number for a script"},
}};

}  // namespace

extern const verb_entry reproduce_verb;
const verb_entry reproduce_verb{
    "reproduce",
    44,
    "Compute a paper's tables again, with the published figures beside ours",
    "Records the programs of a suite, simulates the baseline and each mechanism on the paper's "
    "machine, and prints the paper's tables: change of execution time, traffic, misses and energy "
    "per program with means, what the mechanism costs, threads-only and pages-only runs, and the "
    "published figures beside ours. What was recorded and simulated is kept, so that a second call "
    "computes only what is new and an interrupted one goes on. A program that fails is reported "
    "and "
    "does not stop the rest; then the exit code is 1. docs/reproduce.md explains suites and "
    "tables.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<reproduce_command>()); },
};

}  // namespace numatch
