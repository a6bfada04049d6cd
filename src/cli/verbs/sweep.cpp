// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/python_module.hpp"
#include "cli/verb.hpp"

namespace numatch {

namespace {

class sweep_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("FILE", file_, "What is swept, a TOML file")->required();
    app.add_option("--store", store_, "File that keeps what is computed, FILE.sqlite unless said")
        ->type_name("FILE");
    app.add_option("-j,--jobs", jobs_,
                   "Workers on this machine, as FILE says or one per processor unless said")
        ->check(CLI::Range(1u, 4096u));
    app.add_option("--cluster", cluster_, "Use the workers of a Dask scheduler, tcp://HOST:PORT")
        ->type_name("ADDRESS");
    app.add_flag("--slurm", slurm_, "Use jobs of Slurm, as FILE's [slurm] says");
    app.add_option("--memory", memory_, "Of each worker, as '2 GiB'")->type_name("SIZE");
    app.add_option("--retries", retries_,
                   "How often a run whose worker died is tried again, 2 unless said")
        ->check(CLI::Range(0u, 1000u));
    app.add_flag("--dry-run", dry_run_,
                 "Say what would be computed; with --slurm, show the script of its jobs");
    app.add_flag("--json", json_, "Print JSON");
    app.add_option("--csv", csv_, "Write a row per run")->type_name("FILE");
    app.add_option("--parquet", parquet_, "Write the same rows for data frames; needs pyarrow")
        ->type_name("FILE");
    app.add_option("--figure", figure_,
                   "Draw a line per mechanism, as PDF, PNG or SVG; needs matplotlib")
        ->type_name("FILE");
    app.add_option("-o,--output", output_, "Write the table to a file instead of printing it");
  }

  result<int> run(cli::console& terminal) override {
    std::error_code problem;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
    if (problem) return fail("/proc/self/exe", problem.message());
    const nlohmann::json request{
        {"file", file_},
        {"store", store_},
        {"jobs", jobs_},
        {"cluster", cluster_},
        {"slurm", slurm_},
        {"memory", memory_},
        {"retries", retries_ ? nlohmann::json(*retries_) : nlohmann::json(nullptr)},
        {"dry_run", dry_run_},
        {"json", json_},
        {"csv", csv_},
        {"parquet", parquet_},
        {"figure", figure_},
        {"output", output_},
        {"numatch", self.string()},
        {"quiet", !terminal.shows_progress()},
    };
    return tl::unexpected(
        cli::become_python("numatch.sweeps.__main__",
                           request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  }

 private:
  std::string file_;
  std::string store_;
  unsigned jobs_ = 0;
  std::string cluster_;
  bool slurm_ = false;
  std::string memory_;
  std::optional<unsigned> retries_;
  bool dry_run_ = false;
  bool json_ = false;
  std::string csv_;
  std::string parquet_;
  std::string figure_;
  std::string output_;
};

constexpr std::array<cli::example, 6> examples{{
    {"numatch sweep latency.toml", "computes what latency.sqlite does not have, prints the table"},
    {"numatch sweep latency.toml --dry-run", "says how many runs that would be"},
    {"numatch sweep latency.toml --csv latency.csv --figure latency.pdf",
     "also writes a row per run, and a figure"},
    {"numatch sweep latency.toml -j 4 --memory '4 GiB'", "four workers, none above 4 GiB"},
    {"numatch sweep latency.toml --cluster tcp://scheduler:8786", "on a Dask cluster"},
    {"numatch sweep latency.toml --slurm --dry-run", "shows the script that Slurm would get"},
}};

}  // namespace

extern const verb_entry sweep_verb;
const verb_entry sweep_verb{
    "sweep",
    44,
    "Simulate programs under many mechanisms, machines and parameters",
    "Simulates every combination of what a TOML file lists: programs, machines, values of their "
    "keys, mechanisms, values of their parameters, seeds. Each run is a process of its own, on "
    "this machine, a Dask cluster or jobs of Slurm. What was computed is kept by the contents of "
    "all that it depends on, so that a second call computes only what is new and an interrupted "
    "one goes on. A run that fails is reported and does not stop the rest; then the exit code is "
    "1. Needs the Python package numatch and Dask, which NUMATCH_PYTHON's interpreter has to "
    "find. docs/sweep.md explains the file and the store.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<sweep_command>()); },
};

}  // namespace numatch
