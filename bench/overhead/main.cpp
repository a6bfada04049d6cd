// SPDX-License-Identifier: Apache-2.0
// What being watched costs a program: pairs of runs, alone and under `numatch profile`, in random
// order. The ratio of each pair, and the 95 % interval of their geometric mean (Student's t of the
// logarithms); what drifts on the machine meets both runs of a pair.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/student.hpp"
#include "compare/experiment.hpp"

namespace {

namespace fs = std::filesystem;

struct request {
  std::string build = "build";
  std::string sensor = "auto";
  double budget_percent = 2;
  std::size_t pairs = 40;
  unsigned threads = 2;
  std::uint64_t seed = 1;
  double scale = 1;
  std::string only;
};

struct kind {
  const char* name;
  std::uint64_t rounds;
};
constexpr kind kinds[] = {{"faults", 1500}, {"compute", 2500}};
constexpr double target = 1.02;

/// One run of the program, seconds.
struct taken {
  double cpu = 0;
  double elapsed = 0;
  double numatch_cpu = 0;
};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "overhead: {}\n", why);
  std::exit(1);
}

/// The processor time of a command with all that it started.
double run_quietly(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDOUT_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || ::wait4(child, &status, 0, &used) != child || status != 0) {
    give_up(command.front() + " failed");
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class bench {
 public:
  bench(const request& wanted, fs::path folder) : wanted_(wanted), folder_(std::move(folder)) {}

  void measure(const kind& what) const {
    std::vector<taken> alone;
    std::vector<taken> watched;
    run(what, false);
    for (const std::size_t method :
         numatch::compare::drawn_order(2, {.runs = wanted_.pairs, .seed = wanted_.seed})) {
      (method == 0 ? alone : watched).push_back(run(what, method != 0));
    }
    fmt::print("{}, {} threads, {} pairs\n", what.name, wanted_.threads, wanted_.pairs);
    show("CPU time", alone, watched, &taken::cpu);
    show("elapsed time", alone, watched, &taken::elapsed);
    double own = 0;
    double programs = 0;
    for (const taken& one : watched) {
      own += one.numatch_cpu;
      programs += one.cpu;
    }
    fmt::print("  {:14} {:.1f} % of the program's CPU time, in a process of its own (measured)\n",
               "numatch itself", 100 * own / programs);
  }

 private:
  taken run(const kind& what, bool watched) const {
    const fs::path result = folder_ / "result";
    std::vector<std::string> command{
        wanted_.build + "/bench/overhead_program", what.name, std::to_string(wanted_.threads),
        std::to_string(
            static_cast<std::uint64_t>(wanted_.scale * static_cast<double>(what.rounds))),
        result.string()};
    if (watched) {
      const std::vector<std::string> before{wanted_.build + "/numatch",
                                            "--quiet",
                                            "profile",
                                            "--sensor",
                                            wanted_.sensor,
                                            "--budget",
                                            fmt::format("{}", wanted_.budget_percent),
                                            "-o",
                                            (folder_ / "profile").string(),
                                            "--"};
      command.insert(command.begin(), before.begin(), before.end());
    }
    const double all = run_quietly(command);
    taken took;
    if (!(std::ifstream(result) >> took.cpu >> took.elapsed)) give_up("the program said nothing");
    took.numatch_cpu = all - took.cpu;
    return took;
  }

  static void show(const char* name, const std::vector<taken>& alone,
                   const std::vector<taken>& watched, double taken::* value) {
    std::vector<double> logarithms;
    double sum = 0;
    for (std::size_t pair = 0; pair < alone.size(); ++pair) {
      logarithms.push_back(std::log(watched[pair].*value / alone[pair].*value));
      sum += alone[pair].*value;
    }
    const numatch::mean_estimate mean = numatch::estimate_mean(logarithms);
    const double ratio = std::exp(mean.mean);
    const double low = std::exp(mean.mean - mean.half_width);
    const double high = std::exp(mean.mean + mean.half_width);
    const char* const verdict = high <= target ? "met"
                                : low > target ? "MISSED"
                                               : "neither shown nor excluded";
    fmt::print("  {:14} ratio {:.3f} ({:.3f} to {:.3f}), alone {:.2f} s; target {}: {}\n", name,
               ratio, low, high, sum / static_cast<double>(alone.size()), target, verdict);
  }

  const request& wanted_;
  fs::path folder_;
};

}  // namespace

int main(int argc, char** argv) {
  request wanted;
  CLI::App app("What being watched by numatch costs a program, in pairs of runs in random order");
  app.add_option("--build", wanted.build, "Build folder")->capture_default_str();
  app.add_option("--pairs", wanted.pairs, "Pairs of runs")
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}))
      ->capture_default_str();
  app.add_option("--threads", wanted.threads, "Of the program")
      ->check(CLI::Range(1U, 4096U))
      ->capture_default_str();
  app.add_option("--sensor", wanted.sensor, "As for numatch profile")->capture_default_str();
  app.add_option("--budget", wanted.budget_percent, "As for numatch profile, %")
      ->capture_default_str();
  app.add_option("--scale", wanted.scale, "Times the usual work")
      ->check(CLI::Range(0.001, 1000.0))
      ->capture_default_str();
  app.add_option("--seed", wanted.seed, "Of the order")->capture_default_str();
  app.add_option("--only", wanted.only, "faults or compute");
  CLI11_PARSE(app, argc, argv);
  std::string name = (fs::temp_directory_path() / "overhead-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) give_up("there is no folder for temporary files");
  const bench measuring(wanted, name);
  for (const kind& what : kinds) {
    if (wanted.only.empty() || wanted.only == what.name) measuring.measure(what);
  }
  fs::remove_all(name);
  return 0;
}
